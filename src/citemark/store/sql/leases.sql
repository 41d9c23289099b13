-- name: lease_holders
SELECT leased_by FROM scan WHERE leased_by IS NOT NULL
UNION SELECT leased_by FROM item WHERE leased_by IS NOT NULL
UNION SELECT leased_by FROM vector_task WHERE leased_by IS NOT NULL
