"""The framework that every tool stands in: arguments, context, access checks, bounded output."""
