-- The second of the year 100 that the next commit of a repository is recorded at.
CREATE SEQUENCE repository_second;
