PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "Artist"
(
    [ArtistId] INTEGER  NOT NULL,
    [Name] NVARCHAR(120),
    CONSTRAINT [PK_Artist] PRIMARY KEY  ([ArtistId])
);
INSERT INTO Artist VALUES(1,'AC/DC; "x"');
INSERT INTO Artist VALUES(2,replace('a\nb','\n',char(10)));
CREATE TABLE [Album]
(
    [AlbumId] INTEGER PRIMARY KEY AUTOINCREMENT,
    [Title] NVARCHAR(160)  NOT NULL COLLATE NOCASE,
    [ArtistId] INTEGER  NOT NULL,
    [Price] NUMERIC(10,2) DEFAULT "0.99",
    [Added] DATETIME DEFAULT (datetime('now')),
    FOREIGN KEY ([ArtistId]) REFERENCES ARTIST ([ArtistId])
		ON DELETE NO ACTION ON UPDATE NO ACTION
);
CREATE TABLE playlist_track(playlist INT, track INT, PRIMARY KEY(playlist, track)) WITHOUT ROWID, STRICT;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('Album',347);
CREATE INDEX [IFK_AlbumArtistId] ON "Album" ([ArtistId]);
CREATE VIEW titles AS SELECT Title FROM Album;
CREATE TRIGGER renamed AFTER UPDATE ON Album BEGIN
  UPDATE Artist SET Name = CASE WHEN 1 THEN 'a' ELSE 'b' END;
  DELETE FROM Artist WHERE 0;
END;
CREATE VIRTUAL TABLE search USING fts5(title);
COMMIT;
