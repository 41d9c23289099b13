"""What texts are made of and how they compare: Markdown, sentences, figures, dates, spelling."""
