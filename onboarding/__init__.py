"""Onboarding: partners, leads, owners, documents and applications."""
