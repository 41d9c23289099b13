"""What agents asked, kept for a few days for the owner who switched it on."""
