"""Calendar entries (iCalendar): components, times, recurrence, and their texts."""
