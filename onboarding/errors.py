"""Errors: the catalogue of error codes, and the exceptions that carry them."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from onboarding.names import pointer


class ErrorCode(enum.Enum):
    """An error of an operation: number, HTTP status, English and Spanish text.

    Texts may contain parameters in braces; a fault supplies each as one value or as a value per
    language: `{"en": "a string", "es": "una cadena"}`. No text repeats a personal value of the
    request; ids of records and sandbox activities are repeated.
    """

    # fmt: off
    MALFORMED_BODY = 1001, 400, "The body is not well-formed JSON: {reason}.", "El cuerpo no es JSON bien formado: {reason}."
    UNSUPPORTED_MEDIA_TYPE = 1002, 415, "Send application/json in UTF-8.", "Envíe application/json en UTF-8."
    METHOD_NOT_ALLOWED = 1003, 405, "This method is not allowed here.", "Este método no está permitido aquí."
    RESOURCE_NOT_FOUND = 1004, 404, "There is nothing at this path.", "No hay nada en esta ruta."
    LENGTH_REQUIRED = 1005, 411, "Send a Content-Length.", "Envíe un Content-Length."
    BAD_REQUEST = 1006, 400, "The request is malformed, or its Host is not ours.", "La solicitud está mal formada o su Host no es el nuestro."
    UNKNOWN_PARAMETER = 1007, 400, "This operation has no such query parameter. It accepts: {known}.", "Esta operación no tiene ese parámetro de consulta. Acepta: {known}."
    AUTHENTICATION_REQUIRED = 1101, 401, "Send an Authorization header: {scheme} <ACCESS_KEY>:<SECRET_KEY>.", "Envíe un encabezado Authorization: {scheme} <ACCESS_KEY>:<SECRET_KEY>."
    INVALID_CREDENTIALS = 1102, 401, "The access key or its secret is wrong.", "La clave de acceso o su secreto es incorrecto."
    WRONG_ENVIRONMENT = 1103, 401, "This access key belongs to another environment.", "Esta clave de acceso pertenece a otro entorno."
    CREDENTIALS_EXPIRED = 1104, 401, "This access key has expired.", "Esta clave de acceso ha caducado."
    CREDENTIALS_REVOKED = 1105, 401, "This access key was revoked.", "Esta clave de acceso fue revocada."
    PARTNER_SUSPENDED = 1106, 403, "The partner is suspended.", "El socio está suspendido."
    IP_NOT_ALLOWED = 1107, 403, "This access key may not be used from this address.", "Esta clave de acceso no puede usarse desde esta dirección."
    PERMISSION_DENIED = 1108, 403, "This access key lacks the permission {permission}.", "A esta clave de acceso le falta el permiso {permission}."
    IDEMPOTENCY_KEY_INVALID = 1201, 400, "An Idempotency-Key has 1 to 200 visible ASCII characters.", "Un Idempotency-Key tiene de 1 a 200 caracteres ASCII visibles."
    IDEMPOTENCY_KEY_REUSED = 1202, 422, "This Idempotency-Key was used with another body.", "Este Idempotency-Key se usó con otro cuerpo."
    IDEMPOTENCY_IN_PROGRESS = 1203, 409, "The first call with this Idempotency-Key is still running.", "La primera llamada con este Idempotency-Key sigue en curso."
    REQUIRED_FIELD_MISSING = 2001, 400, "This field is required.", "Este campo es obligatorio."
    INVALID_TYPE = 2002, 400, "This must be {expected}.", "Esto debe ser {expected}."
    INVALID_FORMAT = 2003, 400, "This is not in the expected format: {expected}.", "Esto no tiene el formato esperado: {expected}."
    VALUE_NOT_ALLOWED = 2004, 400, "This must be one of {allowed}.", "Esto debe ser uno de {allowed}."
    VALUE_TOO_LONG = 2005, 400, "This has more than {limit} characters.", "Esto tiene más de {limit} caracteres."
    VALUE_OUT_OF_RANGE = 2006, 400, "This must be {range}.", "Esto debe ser {range}."
    INVALID_EMAIL = 2010, 400, "This is not an email address.", "Esto no es una dirección de correo."
    INVALID_PHONE_NUMBER = 2011, 400, "A phone number is in E.164, for example +14155550100.", "Un teléfono va en E.164, por ejemplo +14155550100."
    INVALID_SSN = 2012, 400, "An SSN reads XXX-XX-XXXX and was issued by the SSA or is an ITIN.", "Un SSN se escribe XXX-XX-XXXX y fue emitido por la SSA o es un ITIN."
    INVALID_EIN = 2013, 400, "An EIN has nine digits and a prefix that the IRS assigns.", "Un EIN tiene nueve dígitos y un prefijo que asigna el IRS."
    INVALID_DATE = 2014, 400, "This is not a date of the form YYYY-MM-DD that can be right here.", "Esto no es una fecha de la forma YYYY-MM-DD que sea posible aquí."
    INVALID_POSTAL_CODE = 2015, 400, "A US postal code reads XXXXX or XXXXX-XXXX; others have up to 16 characters.", "Un código postal de EE. UU. se escribe XXXXX o XXXXX-XXXX; otros tienen hasta 16 caracteres."
    INVALID_STATE = 2016, 400, "This is not a two-letter USPS code of a state or territory.", "Esto no es un código USPS de dos letras de un estado o territorio."
    INVALID_COUNTRY = 2017, 400, "This is not a country code of ISO 3166 alpha-2.", "Esto no es un código de país de ISO 3166 alfa-2."
    INVALID_NAICS_CODE = 2018, 400, "A NAICS code has two to six digits.", "Un código NAICS tiene de dos a seis dígitos."
    INVALID_DUNS = 2019, 400, "A DUNS number has nine digits.", "Un número DUNS tiene nueve dígitos."
    INVALID_URL = 2020, 400, "This is not an https URL.", "Esto no es una URL https."
    UNDERAGE_PERSON = 2021, 400, "This person is younger than 18.", "Esta persona tiene menos de 18 años."
    OWNERSHIP_TOTAL_EXCEEDED = 2030, 400, "The shares of all owners add up to more than 100 percent.", "Las participaciones de todos los propietarios suman más de 100 por ciento."
    DUPLICATE_UBO_EMAIL = 2031, 400, "Another owner has the same email address.", "Otro propietario tiene la misma dirección de correo."
    METADATA_LIMIT_EXCEEDED = 2032, 400, "Metadata has at most 50 keys of 40 characters with values of 500.", "Los metadatos tienen como máximo 50 claves de 40 caracteres con valores de 500."
    LEAD_NOT_FOUND = 3001, 404, "There is no such lead.", "No existe tal solicitante."
    EMAIL_IMMUTABLE = 3002, 400, "The email identifies the lead and cannot be changed.", "El correo identifica al solicitante y no se puede cambiar."
    UNIQUE_ID_IN_USE = 3003, 409, "Another lead has this uniqueId.", "Otro solicitante tiene este uniqueId."
    LEAD_LOCKED = 3004, 409, "The application was submitted; this can no longer be changed.{remedy}", "La solicitud fue enviada; esto ya no se puede cambiar.{remedy}"
    APPLICATION_CLOSED = 3005, 409, "The application is closed: {why}.", "La solicitud está cerrada: {why}."
    CUSTOMER_ALREADY_ONBOARDED = 3006, 409, "This customer already has an account.", "Este cliente ya tiene una cuenta."
    INVALID_TRANSITION = 3007, 409, "The application cannot move from {source} to {target}.", "La solicitud no puede pasar de {source} a {target}."
    ACTIVITY_NOT_ALLOWED = 3008, 409, "{activity} cannot be played while the application is {status}; allowed now: {allowed}.", "{activity} no se puede simular mientras la solicitud está en {status}; permitido ahora: {allowed}."
    CLOCK_MOVING = 3009, 409, "The clock is still being moved; GET …/sandbox/clock/{move} tells how far it is.", "El reloj aún se está moviendo; GET …/sandbox/clock/{move} dice cuánto ha avanzado."
    OWNER_NOT_FOUND = 3010, 404, "The lead has no such owner.", "El solicitante no tiene tal propietario."
    RELIANCE_NOT_AGREED = 3011, 403, "The bank has not agreed to rely on verifications that you make yourself.", "El banco no ha acordado con usted confiar en las verificaciones que usted hace."
    TOO_MANY_VERIFICATIONS = 3012, 409, "There can be at most {limit} verifications of an application.", "Puede haber como máximo {limit} verificaciones de una solicitud."
    DOCUMENT_NOT_FOUND = 3013, 400, "The lead has no document with this id and a file.", "El solicitante no tiene ningún documento con ese identificador y con archivo."
    CHANGE_TOO_EARLY = 3014, 409, "A change can be asked for once the account is open; until then, update the lead.", "Se puede pedir un cambio cuando la cuenta esté abierta; hasta entonces, actualice los datos del solicitante."
    CHANGE_EMPTY = 3015, 400, "No value in this request differs from the stored one.", "Ningún valor enviado difiere de los guardados."
    CHANGE_LIMIT_REACHED = 3016, 409, "There can be at most {limit} undecided changes.", "Puede haber como máximo {limit} cambios sin decidir."
    CHANGE_NOT_FOUND = 3017, 404, "There is no such change.", "No existe tal cambio."
    TOO_MANY_REPORTS = 3018, 409, "There can be at most {limit} reports about a customer in a day.", "Puede haber como máximo {limit} avisos sobre un cliente en un día."
    DOCUMENT_LIST_EMPTY = 4001, 400, "Send at least one document.", "Envíe al menos un documento."
    INVALID_BASE64 = 4002, 400, "The content is not Base64.", "El contenido no es Base64."
    DOCUMENT_EMPTY = 4003, 400, "The document is empty.", "El documento está vacío."
    DOCUMENT_TOO_LARGE = 4004, 400, "The document has more than {limit} bytes.", "El documento tiene más de {limit} bytes."
    TOO_MANY_DOCUMENTS = 4005, 400, "There can be at most {limit} documents here.", "Puede haber como máximo {limit} documentos aquí."
    INVALID_CONTENT_TYPE = 4006, 400, "This is not a MIME type.", "Esto no es un tipo MIME."
    INVALID_FILE_NAME = 4007, 400, "A file name has no path and no control characters.", "Un nombre de archivo no lleva ruta ni caracteres de control."
    WEBHOOK_NOT_FOUND = 5001, 404, "There is no such webhook.", "No existe tal webhook."
    WEBHOOK_URL_REJECTED = 5002, 400, "This URL cannot receive webhooks: {reason}.", "Esta URL no puede recibir webhooks: {reason}."
    WEBHOOK_LIMIT_REACHED = 5003, 409, "There can be at most {limit} webhooks.", "Puede haber como máximo {limit} webhooks."
    WEBHOOK_DISABLED = 5004, 409, "The webhook is disabled; set its status to ACTIVE first.", "El webhook está desactivado; primero ponga su status en ACTIVE."
    DELIVERY_NOT_FOUND = 5005, 404, "There is no such delivery.", "No existe tal entrega."
    EVENT_NOT_FOUND = 5006, 404, "There is no such event; tests are not among them.", "No existe tal evento; las pruebas no se cuentan entre ellos."
    EVENTS_GONE = 5007, 410, "Events that came after this one are older than {days} days and are no longer shown; read on without `after`.", "Hay eventos posteriores a este con más de {days} días que ya no se muestran; siga leyendo sin `after`."
    APPEARANCE_REJECTED = 5008, 400, "This cannot be shown: {reason}", "Esto no se puede mostrar: {reason}"
    RECORD_KIND_UNKNOWN = 7001, 404, "There is no such kind of record.", "No existe ese tipo de registro."
    RECORD_NOT_FOUND = 7002, 404, "There is no such record.", "No existe tal registro."
    RECORD_STALE = 7003, 409, "A newer version of the record is stored.", "Hay guardada una versión más nueva del registro."
    RECORD_REFUSED = 7004, 400, "The record is refused: {reason}", "El registro fue rechazado: {reason}"
    BATCH_NOT_FOUND = 7005, 404, "There is no such batch.", "No existe tal lote."
    BATCH_NOT_NDJSON = 7006, 415, "Send lines of JSON as application/x-ndjson.", "Envíe líneas de JSON como application/x-ndjson."
    RATE_LIMITED = 6001, 429, "Too many requests; retry after {seconds} seconds.", "Demasiadas solicitudes; reintente en {seconds} segundos."
    REQUEST_TOO_LARGE = 6002, 413, "The request is larger than {limit} bytes.", "La solicitud supera {limit} bytes."
    INTERNAL_ERROR = 9001, 500, "Something went wrong on our side.", "Algo falló de nuestro lado."
    SERVICE_UNAVAILABLE = 9002, 503, "The service is not available right now.", "El servicio no está disponible ahora."
    # fmt: on

    def __init__(self, number: int, http_status: int, english: str, spanish: str) -> None:
        self.number = number
        self.http_status = http_status
        self.texts = {"en": english, "es": spanish}


@dataclass(frozen=True)
class Fault:
    """An error at a place in a request: `path` holds the API names and positions to the value.

    `params` are the parameters of the error's text.
    """

    code: ErrorCode
    path: tuple[str | int, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def pointer(self) -> str | None:
        """Return the JSON pointer of the faulty value; None for a fault of the whole request."""
        return pointer(self.path) if self.path else None

    def text(self, language: str = "en") -> str:
        """Return the message in a language, `en` or `es`; a missing parameter is shown as `…`."""
        params = {name: _localized(value, language) for name, value in self.params.items()}
        return self.code.texts[language].format_map(_Blanks(params))

    def under(self, *path: str | int) -> Self:
        """Return the same fault with its path below `path`."""
        return type(self)(self.code, (*path, *self.path), self.params)


class Refused(Exception):
    """A request that is refused, with its faults. The HTTP status is that of the first fault.

    A subclass stands for a reason and sets its `code`: without `faults` there is one fault, with
    this code and `params`. `http_status` is that of the first fault. `retry_after` is the number of
    seconds after which the same call may succeed.
    """

    code: ErrorCode
    retry_after: int | None = None

    def __init__(self, faults: Iterable[Fault] = (), **params: Any) -> None:
        self.faults = list(faults) or [Fault(self.code, params=params)]
        self.http_status = self.faults[0].code.http_status
        super().__init__(", ".join(fault.code.name for fault in self.faults))


class Invalid(Refused):
    """Values of a request are invalid. Give a fault for each: the class has no `code`."""


class InvalidValue(ValueError):
    """A single invalid value; the exception does not contain the value."""

    def __init__(self, code: ErrorCode, **params: Any) -> None:
        self.code, self.params = code, params
        super().__init__(code.name)


def _localized(value: Any, language: str) -> Any:
    return value[language] if isinstance(value, Mapping) else value


class _Blanks(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "…"
