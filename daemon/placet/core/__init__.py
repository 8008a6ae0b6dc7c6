"""Types that every room shares: errors, events, messages, transcript, ports; and bounded readers of foreign bytes."""
