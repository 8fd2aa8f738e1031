CREATE TABLE public.users (
	id UUID NOT NULL,
	city VARCHAR NOT NULL,
	name VARCHAR NULL,
	credit_card VARCHAR NULL,
	seen TIMESTAMP NULL DEFAULT now():::TIMESTAMP,
	points INT8 NOT NULL DEFAULT 0:::INT8,
	CONSTRAINT "primary" PRIMARY KEY (city ASC, id ASC),
	INDEX users_name_idx (name ASC) STORING (credit_card),
	FAMILY "primary" (id, city, name, credit_card, seen, points)
);
CREATE TABLE vehicles (
	id UUID NOT NULL DEFAULT gen_random_uuid(),
	city VARCHAR NOT NULL,
	owner_id UUID NULL,
	ext JSONB NULL,
	ip INET NULL,
	age INTERVAL NULL,
	at TIMETZ NULL,
	CONSTRAINT "primary" PRIMARY KEY (city ASC, id ASC),
	CONSTRAINT fk_city_ref_users FOREIGN KEY (city, owner_id) REFERENCES users(city, id),
	INDEX vehicles_auto_index_fk (city ASC, owner_id ASC),
	INVERTED INDEX ix_ext (ext),
	FAMILY f1 (id, city, owner_id),
	FAMILY f2 (ext, ip, age, at)
) INTERLEAVE IN PARENT users (city)
  PARTITION BY LIST (city) (
	PARTITION us VALUES IN (('seattle'), ('new york')),
	PARTITION DEFAULT VALUES IN ((DEFAULT))
);
ALTER PARTITION us OF INDEX db.public.vehicles@primary CONFIGURE ZONE USING
	num_replicas = 5;
ALTER TABLE vehicles CONFIGURE ZONE USING num_replicas = 3;
CREATE TABLE log (
	msg STRING,
	rowid INT8 NOT VISIBLE NOT NULL DEFAULT unique_rowid(),
	CONSTRAINT log_pkey PRIMARY KEY (rowid ASC)
) LOCALITY REGIONAL BY TABLE IN PRIMARY REGION;
ALTER TABLE public.vehicles ADD CONSTRAINT fk_two FOREIGN KEY (owner_id) REFERENCES public.users (id) ON DELETE CASCADE;
ALTER TABLE vehicles VALIDATE CONSTRAINT fk_two;
