-- name: login_waiting
SELECT tenant, subject, link, flow, apps, expires_at FROM pending_login
WHERE tenant = %(tenant)s AND subject = %(subject)s
  AND failure IS NULL AND expires_at > %(now)s AND (taken_at IS NULL OR taken_at > %(abandoned)s)

-- name: logins_waiting
SELECT count(*) AS waiting FROM pending_login
WHERE failure IS NULL AND expires_at > %(now)s AND (taken_at IS NULL OR taken_at > %(abandoned)s)

-- name: login_keep
-- Nothing where another server began one for the same person meanwhile.
INSERT INTO pending_login AS p (tenant, subject, link, flow, apps, expires_at, poll_at)
VALUES (%(tenant)s, %(subject)s, %(link)s, %(flow)s, %(apps)s, %(expires_at)s, %(now)s)
ON CONFLICT (tenant, subject) DO UPDATE
SET link = excluded.link, flow = excluded.flow, apps = excluded.apps, expires_at = excluded.expires_at,
    poll_at = excluded.poll_at, taken_at = NULL, failure = NULL
WHERE p.failure IS NOT NULL OR p.expires_at <= %(now)s OR p.taken_at <= %(abandoned)s
RETURNING link

-- name: login_apps
UPDATE pending_login SET apps = %(apps)s WHERE tenant = %(tenant)s AND subject = %(subject)s AND link = %(link)s

-- name: login_state
SELECT link, expires_at, taken_at, failure FROM pending_login WHERE tenant = %(tenant)s AND subject = %(subject)s

-- name: logins_claim
-- Of several servers each claims others; the claim of one that was killed lapses.
UPDATE pending_login SET poll_at = %(until)s
WHERE (tenant, subject) IN (
    SELECT tenant, subject FROM pending_login
    WHERE failure IS NULL AND taken_at IS NULL AND expires_at > %(now)s AND poll_at <= %(now)s
    FOR UPDATE SKIP LOCKED)
RETURNING tenant, subject, link, flow, apps, expires_at

-- name: login_later
UPDATE pending_login SET poll_at = %(at)s WHERE tenant = %(tenant)s AND subject = %(subject)s AND link = %(link)s

-- name: login_take
UPDATE pending_login SET taken_at = %(now)s
WHERE tenant = %(tenant)s AND subject = %(subject)s AND link = %(link)s AND failure IS NULL AND taken_at IS NULL
RETURNING apps

-- name: login_fail
UPDATE pending_login SET failure = %(failure)s WHERE tenant = %(tenant)s AND subject = %(subject)s AND link = %(link)s

-- name: login_done
DELETE FROM pending_login WHERE tenant = %(tenant)s AND subject = %(subject)s AND link = %(link)s

-- name: login_give_up
-- One that is being recorded is left to end.
DELETE FROM pending_login
WHERE tenant = %(tenant)s AND subject = %(subject)s AND (taken_at IS NULL OR taken_at <= %(abandoned)s)
RETURNING failure IS NULL AND taken_at IS NULL AND expires_at > %(now)s AS waited

-- name: connect_page_keep
INSERT INTO connect_page (tenant, subject, code, expires_at) VALUES (%(tenant)s, %(subject)s, %(code)s, %(expires_at)s)
ON CONFLICT (tenant, subject) DO UPDATE SET code = excluded.code, browser = NULL, expires_at = excluded.expires_at

-- name: connect_page_open
-- The first browser that comes is the only one from then on.
UPDATE connect_page SET browser = coalesce(browser, %(fresh)s)
WHERE code = %(code)s AND expires_at > %(now)s AND (browser IS NULL OR browser = %(browser)s)
RETURNING tenant, subject, browser = %(fresh)s AS first

-- name: logins_forget
WITH pages AS (DELETE FROM connect_page WHERE expires_at < %(before)s)
DELETE FROM pending_login WHERE expires_at < %(before)s
