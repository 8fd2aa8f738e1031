USE [Shop]
GO
/****** Object:  Table [dbo].[Orders]    Script Date: 11/20/2026 /* nested */ ******/
SET ANSI_NULLS ON
GO
SET QUOTED_IDENTIFIER ON
GO
CREATE TYPE [dbo].[Flag] FROM [bit] NOT NULL
GO
CREATE TABLE [dbo].[Orders](
	[OrderID] [int] IDENTITY(1,1) NOT FOR REPLICATION NOT NULL,
	[Customer ID] [nchar](5) COLLATE Latin1_General_CI_AS NULL,
	[Guid] [uniqueidentifier] ROWGUIDCOL  NOT NULL,
	[Placed] [datetime2](7) NOT NULL,
	[Status] [tinyint] NOT NULL,
	[Freight] [money] NULL,
	[Paid] [dbo].[Flag],
	[Note] [nvarchar](max) NULL,
	[Photo] [varbinary](max) NULL,
	[Due] [datetimeoffset](3) NULL,
	[Version] [timestamp] NOT NULL,
	[Total] [decimal](18, 4) NOT NULL,
 CONSTRAINT [PK_Orders] PRIMARY KEY CLUSTERED 
(
	[OrderID] ASC
)WITH (PAD_INDEX = OFF, STATISTICS_NORECOMPUTE = OFF, IGNORE_DUP_KEY = OFF, ALLOW_ROW_LOCKS = ON) ON [PRIMARY]
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
IF NOT EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(N'[dbo].[Lines]') AND type in (N'U'))
BEGIN
CREATE TABLE [dbo].[Lines](
	[OrderID] [int] NOT NULL,
	[Line] [smallint] NOT NULL,
	[Qty] [int] NOT NULL,
 CONSTRAINT [PK_Lines] PRIMARY KEY NONCLUSTERED ([OrderID] ASC, [Line] DESC)
) ON [PRIMARY]
END
GO
SET ANSI_PADDING ON
GO
CREATE UNIQUE NONCLUSTERED INDEX [UX_Guid] ON [dbo].[Orders]
(
	[Guid] ASC
)
INCLUDE([Freight]) WITH (DROP_EXISTING = OFF, ONLINE = OFF) ON [PRIMARY]
GO
CREATE NONCLUSTERED INDEX [IX_Open] ON [dbo].[Orders] ([Placed] ASC) WHERE ([Status]=(0))
GO
ALTER TABLE [dbo].[Orders] ADD  CONSTRAINT [DF_Status]  DEFAULT ((0)) FOR [Status]
GO
ALTER TABLE [dbo].[Orders] ADD  CONSTRAINT [DF_Guid]  DEFAULT (newid()) FOR [Guid]
GO
ALTER TABLE [dbo].[Lines]  WITH CHECK ADD  CONSTRAINT [FK_Lines] FOREIGN KEY([OrderID])
REFERENCES [dbo].[Orders] ([OrderID])
ON DELETE CASCADE
GO
ALTER TABLE [dbo].[Lines] CHECK CONSTRAINT [FK_Lines]
GO
ALTER TABLE [dbo].[Lines]  WITH NOCHECK ADD  CONSTRAINT [CK_Qty] CHECK  (([Qty]>(0)))
GO
CREATE PROCEDURE [dbo].[CloseOrder] @id int AS
BEGIN
  UPDATE Orders SET Status = 1 WHERE OrderID = @id;
  SELECT 1;
END
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'Orders; all' , @level0type=N'SCHEMA'
GO
