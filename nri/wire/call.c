/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "nri/wire/wire.h"

/* ---- protobuf's fields ---- */

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

#define FIELD_MAX ((UINT32_C(1) << 29) - 1)

static void begin_bytes(struct fields *fields, uint64_t len, bool fixed)
{
	fields->left = len;
	fields->fixed = fixed;
	fields->state = len ? FIELDS_BYTES : FIELDS_TAG;
}

static void end_bytes(struct fields *fields, const struct fields_handler *handler, void *context)
{
	fields->state = FIELDS_TAG;
	if (!fields->fixed && handler->end)
		handler->end(context, fields->field);
}

static void take_tag(struct fields *fields, uint64_t tag)
{
	fields->field = (uint32_t)(tag >> 3);
	fields->state = FIELDS_BROKEN;
	if (!(tag >> 3) || tag >> 3 > FIELD_MAX)
		return;
	switch (tag & 7) {
	case WIRE_VARINT:
		fields->state = FIELDS_VARINT;
		break;
	case WIRE_BYTES:
		fields->state = FIELDS_LENGTH;
		break;
	case WIRE_FIXED64:
		begin_bytes(fields, 8, true);
		break;
	case WIRE_FIXED32:
		begin_bytes(fields, 4, true);
		break;
	default: /* groups, which proto3 has not */
		break;
	}
}

static void take_number(struct fields *fields, uint64_t number,
			const struct fields_handler *handler, void *context)
{
	switch (fields->state) {
	case FIELDS_TAG:
		take_tag(fields, number);
		break;
	case FIELDS_VARINT:
		fields->state = FIELDS_TAG;
		handler->number(context, fields->field, number);
		break;
	case FIELDS_LENGTH:
		handler->begin(context, fields->field);
		begin_bytes(fields, number, false);
		if (!number)
			end_bytes(fields, handler, context);
		break;
	case FIELDS_BYTES:
	case FIELDS_BROKEN:
		break;
	}
}

/* One byte of a number: seven bits, the lowest first, and whether there is more */
static void read_number(struct fields *fields, unsigned char byte,
			const struct fields_handler *handler, void *context)
{
	uint64_t bits = byte & 0x7f;
	uint64_t number;

	if (fields->shift > 63 || (fields->shift == 63 && bits > 1)) {
		fields->state = FIELDS_BROKEN;
		return;
	}
	fields->number |= bits << fields->shift;
	fields->shift += 7;
	if (byte & 0x80)
		return;
	number = fields->number;
	fields->number = 0;
	fields->shift = 0;
	take_number(fields, number, handler, context);
}

void fields_read(struct fields *fields, const unsigned char *bytes, size_t len,
		 const struct fields_handler *handler, void *context)
{
	while (len && fields->state != FIELDS_BROKEN) {
		size_t n = 1;

		if (fields->state == FIELDS_BYTES) {
			n = fields->left < len ? (size_t)fields->left : len;
			if (!fields->fixed)
				handler->part(context, fields->field, bytes, n);
			fields->left -= n;
			if (!fields->left)
				end_bytes(fields, handler, context);
		} else {
			read_number(fields, *bytes, handler, context);
		}
		bytes += n;
		len -= n;
	}
}

bool fields_whole(const struct fields *fields)
{
	return fields->state == FIELDS_TAG && !fields->shift;
}

/* ---- a request ---- */

#define SERVICE "nri.pkg.api.v1alpha1.Plugin"

enum request_field {
	REQUEST_SERVICE = 1,
	REQUEST_METHOD = 2,
	REQUEST_PAYLOAD = 3,
};

#define SYNCHRONIZE_MORE 3

/* A runtime sends only those that were subscribed to; an error would fail whatever it does,
 * while an empty answer changes nothing. A validator's says that it has no objection. */
static const struct {
	const char *name;
	enum call_method method;
} methods[] = {
	{"Configure", CALL_CONFIGURE},
	{"Synchronize", CALL_SYNCHRONIZE},
	{"CreateContainer", CALL_CREATE_CONTAINER},
	{"Shutdown", CALL_OTHER},
	{"StartContainer", CALL_START_CONTAINER},
	{"StateChange", CALL_STATE_CHANGE},
	{"UpdateContainer", CALL_OTHER},
	{"StopContainer", CALL_OTHER},
	{"UpdatePodSandbox", CALL_OTHER},
	{"ValidateContainerAdjustment", CALL_OTHER},
};

void call_reset(struct call *call)
{
	struct call kept = *call;

	buffer_clear(&kept.payload);
	buffer_clear(&kept.object);
	*call = (struct call){
		.payload = kept.payload, .object = kept.object, .listener = kept.listener};
}

void call_free(struct call *call)
{
	buffer_free(&call->payload);
	buffer_free(&call->object);
}

static void name_append(struct call_name *name, const unsigned char *bytes, size_t len)
{
	if (len < sizeof(name->text) && name->len < sizeof(name->text) - len)
		memcpy(name->text + name->len, bytes, len);
	name->len += len;
}

static bool name_is(const struct call_name *name, const char *text)
{
	return name->len == strlen(text) && memcmp(name->text, text, name->len) == 0;
}

/* ---- the payload ---- */

static void inside_number(void *context, uint32_t field, uint64_t number)
{
	struct call *call = context;

	if (field == SYNCHRONIZE_MORE)
		call->more = number != 0;
}

/* Go's protobuf sends the method before the payload; if the payload comes first, nobody hears. */
static bool is_heard(const struct call *call, uint32_t field)
{
	return call->listener.object && (field == CALL_POD || field == CALL_CONTAINER) &&
	       call_method(call) == CALL_SYNCHRONIZE;
}

static void inside_begin(void *context, uint32_t field)
{
	struct call *call = context;

	(void)field;
	buffer_clear(&call->object);
	call->object_lost = false;
}

static void inside_part(void *context, uint32_t field, const unsigned char *bytes, size_t len)
{
	struct call *call = context;

	if (!is_heard(call, field) || call->object_lost)
		return;
	call->object_lost = buffer_append(&call->object, bytes, len) < 0;
	if (call->object_lost)
		buffer_clear(&call->object);
}

static void inside_end(void *context, uint32_t field)
{
	static const unsigned char nothing;
	struct call *call = context;
	const unsigned char *bytes = call->object.len ? call->object.bytes : &nothing;

	if (is_heard(call, field))
		call->listener.object(call->listener.context, (enum call_object)field,
				      call->object_lost ? NULL : bytes, call->object.len);
}

static const struct fields_handler inside_handler = {inside_number, inside_begin, inside_part,
						     inside_end};

static void payload_part(struct call *call, const unsigned char *bytes, size_t len)
{
	fields_read(&call->inside, bytes, len, &inside_handler, call);
	if (!call->keeps || buffer_append(&call->payload, bytes, len) == 0)
		return;
	call->keeps = false;
	call->lost = true;
	buffer_clear(&call->payload);
}

/* A payload before its method (Go's protobuf sends none so) is kept. */
static bool is_wanted(const struct call *call)
{
	enum call_method method = call_method(call);

	return !call->name.len || method == CALL_CONFIGURE || method == CALL_CREATE_CONTAINER ||
	       method == CALL_START_CONTAINER || method == CALL_STATE_CHANGE;
}

/* ---- the request ---- */

static void request_number(void *context, uint32_t field, uint64_t number)
{
	(void)context;
	(void)field;
	(void)number;
}

/* If a field occurs twice, the last one holds, as everywhere in protobuf. */
static void request_begin(void *context, uint32_t field)
{
	struct call *call = context;

	if (field == REQUEST_SERVICE)
		call->service = (struct call_name){0};
	if (field == REQUEST_METHOD)
		call->name = (struct call_name){0};
	if (field != REQUEST_PAYLOAD)
		return;
	buffer_clear(&call->payload);
	call->inside = (struct fields){0};
	call->more = false;
	call->lost = false;
	call->keeps = is_wanted(call);
}

static void request_part(void *context, uint32_t field, const unsigned char *bytes, size_t len)
{
	struct call *call = context;

	if (field == REQUEST_SERVICE)
		name_append(&call->service, bytes, len);
	if (field == REQUEST_METHOD)
		name_append(&call->name, bytes, len);
	if (field == REQUEST_PAYLOAD)
		payload_part(call, bytes, len);
}

static const struct fields_handler request_handler = {request_number, request_begin, request_part,
						      NULL};

void call_read(struct call *call, const unsigned char *bytes, size_t len)
{
	fields_read(&call->request, bytes, len, &request_handler, call);
}

enum call_method call_method(const struct call *call)
{
	if (!name_is(&call->service, SERVICE))
		return CALL_UNKNOWN;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (name_is(&call->name, methods[i].name))
			return methods[i].method;
	}
	return CALL_UNKNOWN;
}

bool call_whole(const struct call *call)
{
	return fields_whole(&call->request) && !call->lost &&
	       (call->keeps || fields_whole(&call->inside));
}
