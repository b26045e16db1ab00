"""Make the tables of assistants' accesses; a database that has the migrations replaced here is left as it is.

The decision record 0063 (docs/decisions) says until when the replaced migrations stay.
"""

from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STEPS = [
    "0002_protect_access_log.protect",
]


def _import_steps():
    for step in STEPS:
        module, name = step.split('.')
        yield getattr(import_module(f'mcp_server.migrations.{module}'), name)


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('mcp_server', '0001_initial'),
        ('mcp_server', '0002_protect_access_log'),
        ('mcp_server', '0003_passkeys'),
    ]
    dependencies = [
        ('banking', '0001_squashed_0035'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        migrations.swappable_dependency(settings.OAUTH2_PROVIDER_APPLICATION_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Connection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='connections', to=settings.AUTH_USER_MODEL)),
                ('application', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='connections', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ('client_name', models.CharField(max_length=255)),
                ('client_host', models.CharField(blank=True, help_text="Where the answer to the user's consent went.", max_length=255)),
                ('created_at', models.DateTimeField()),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'application'), name='connection_once_per_client'), models.CheckConstraint(condition=models.Q(('ended_at', None), ('paused_at', None), _connector='OR'), name='connection_ended_is_not_paused')],
            },
        ),
        migrations.CreateModel(
            name='AccessLogEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='log_entries', to='mcp_server.connection')),
                ('tool', models.CharField(max_length=64)),
                ('business', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='banking.business')),
                ('outcome', models.CharField(choices=[('OK', 'Answered'), ('AUTHENTICATION_REQUIRED', 'Not signed in'), ('ACCESS_DENIED', 'Refused'), ('INVALID_PARAMETER', 'Asked wrongly'), ('NOT_FOUND', 'Not found'), ('RATE_LIMITED', 'Too many calls'), ('INTERNAL_ERROR', 'Failed')], max_length=23)),
                ('duration_ms', models.PositiveIntegerField()),
                ('request_id', models.CharField(max_length=128)),
            ],
            options={
                'verbose_name_plural': 'access log entries',
                'indexes': [models.Index(fields=['connection', '-at', '-id'], name='log_entry_by_connection'), models.Index(condition=models.Q(('business__isnull', False)), fields=['business', '-at', '-id'], name='log_entry_by_business')],
                'constraints': [models.CheckConstraint(condition=models.Q(('outcome__in', ['OK', 'AUTHENTICATION_REQUIRED', 'ACCESS_DENIED', 'INVALID_PARAMETER', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL_ERROR'])), name='access_log_outcome_known')],
            },
        ),
        migrations.CreateModel(
            name='Passkey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='The human-readable name of this device.', max_length=64)),
                ('confirmed', models.BooleanField(default=True, help_text='Is this device ready for use?')),
                ('created_at', models.DateTimeField(auto_now_add=True, help_text='The date and time when this device was initially created in the system.', null=True)),
                ('last_used_at', models.DateTimeField(blank=True, help_text='The most recent date and time this device was used.', null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('credential_id', models.CharField(help_text='Base64url.', max_length=1364, unique=True)),
                ('credential', models.BinaryField(help_text='AAGUID, credential id and COSE public key, as authenticators encode them.')),
                ('sign_count', models.PositiveBigIntegerField(default=0, help_text='Signatures that the authenticator has counted; 0 if it does not.')),
            ],
            options={
                'abstract': False,
            },
        ),
        *(migrations.RunPython(step) for step in _import_steps()),
    ]
