-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)
--
-- Host: localhost    Database: rental
-- ------------------------------------------------------
-- Server version	8.0.39

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `rental` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */;

USE `rental`;

--
-- Table structure for table `address`
--

DROP TABLE IF EXISTS `address`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `address` (
  `address_id` smallint unsigned NOT NULL AUTO_INCREMENT,
  `address` varchar(50) COLLATE utf8mb4_unicode_ci NOT NULL,
  `postal_code` varchar(10) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL COMMENT 'it''s; a \'code\'',
  `location` /*!50705 GEOMETRY */ /*!80003 SRID 0 */ NOT NULL,
  `last_update` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`address_id`),
  KEY `idx_code` (`postal_code`),
  /*!50705 SPATIAL KEY `idx_location` (`location`),*/
  CONSTRAINT `address_chk_1` CHECK ((`address` <> _utf8mb4'x'))
) ENGINE=InnoDB AUTO_INCREMENT=606 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `address` WRITE;
/*!40000 ALTER TABLE `address` DISABLE KEYS */;
INSERT INTO `address` VALUES (1,'O\'Hara; Street','x',NULL,'2026-01-01 00:00:00'),(2,'y','z',_binary 'a\\',NULL);
/*!40000 ALTER TABLE `address` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `film`;
CREATE TABLE `film` (
  `film_id` bigint unsigned NOT NULL,
  `title` varchar(128) NOT NULL,
  `release_year` year DEFAULT NULL,
  `language_id` tinyint unsigned NOT NULL DEFAULT '1',
  `active` tinyint(1) NOT NULL DEFAULT '1',
  `hidden` bit(1) NOT NULL DEFAULT b'0',
  `size` mediumint unsigned zerofill DEFAULT NULL,
  `rate` decimal(4,2) NOT NULL DEFAULT '4.99',
  `score` double DEFAULT NULL,
  `rating` enum('G','PG','R') DEFAULT 'G',
  `features` set('Trailers','Deleted, Scenes') DEFAULT NULL,
  `poster` mediumblob,
  `meta` json DEFAULT NULL,
  `created` datetime(3) DEFAULT NULL,
  `runs` time DEFAULT NULL,
  `net` decimal(5,2) GENERATED ALWAYS AS ((`rate` * 0.8)) STORED,
  PRIMARY KEY (`film_id`),
  UNIQUE KEY `title_year` (`title`,`release_year`) USING BTREE,
  KEY `idx_title` (`title`(10)),
  KEY `fk_address` (`language_id` DESC) /*!80000 INVISIBLE */,
  FULLTEXT KEY `ft` (`title`) /*!50100 WITH PARSER `ngram` */,
  CONSTRAINT `fk_language` FOREIGN KEY (`language_id`) REFERENCES `language` (`language_id`) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=DYNAMIC COMMENT='films'
/*!50100 PARTITION BY RANGE (`film_id`)
(PARTITION p0 VALUES LESS THAN (1000) ENGINE = InnoDB,
 PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER `ins_film` AFTER INSERT ON `film` FOR EACH ROW BEGIN
    INSERT INTO film_text (film_id) VALUES (new.film_id);
    IF new.title = 'x' THEN SET @x = 1; END IF;
  END */;;
DELIMITER ;

/*!50001 DROP VIEW IF EXISTS `film_list`*/;
/*!50001 CREATE TABLE `film_list` (
  `FID` tinyint NOT NULL
) ENGINE=MyISAM */;
/*!50001 DROP TABLE IF EXISTS `film_list`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `film_list` AS select 1 AS `FID` */;

-- Dump completed on 2026-11-20 12:00:00
