-- When what came from an account that was switched off is erased; null for all others.
ALTER TABLE source ADD COLUMN erase_at timestamptz;
