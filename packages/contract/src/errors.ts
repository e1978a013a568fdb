/**
 * Every error a client can meet, once. `status` is the HTTP status, `name` the coarse word on the wire that existing clients know,
 * `text` what is said when the thrower has nothing more precise. The key travels as `code`.
 */
export const errors = {
  // the request itself
  parameter_invalid: { status: 400, name: 'PARAMETER_INVALID', text: 'A parameter is missing or not acceptable.' },
  invalid_json: { status: 400, name: 'INVALID_JSON', text: 'The body is not valid JSON.' },
  body_too_large: { status: 413, name: 'BODY_TOO_LARGE', text: 'The body is larger than this operation accepts.' },
  media_type_unsupported: { status: 415, name: 'MEDIA_TYPE_UNSUPPORTED', text: 'This operation does not accept this content type.' },
  route_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no operation at this address.' },
  method_not_allowed: { status: 405, name: 'METHOD_NOT_ALLOWED', text: 'This address does not support this method.' },
  rate_limited: { status: 429, name: 'RATE_LIMIT_EXCEEDED', text: 'Too many requests; try again later.' },
  idempotency_in_progress: { status: 409, name: 'CONFLICT', text: 'A request with this Idempotency-Key is still running.' },
  idempotency_mismatch: { status: 422, name: 'IDEMPOTENCY_MISMATCH', text: 'This Idempotency-Key was used with another body.' },
  internal_error: { status: 500, name: 'INTERNAL_ERROR', text: 'Something of ours failed. It has been recorded.' },
  unavailable: { status: 503, name: 'UNAVAILABLE', text: 'The service cannot do this at the moment.' },
  line_unavailable: { status: 503, name: 'LINE_UNAVAILABLE', text: 'No telephone line is connected that could carry this out.' },

  // who is asking
  not_authenticated: { status: 401, name: 'REQUEST_NOT_AUTHENTICATED', text: 'A valid token in the Authorization header is required.' },
  invalid_credentials: { status: 401, name: 'REQUEST_NOT_AUTHENTICATED', text: 'The credentials are not valid.' },
  invalid_token: { status: 401, name: 'REQUEST_NOT_AUTHENTICATED', text: 'The token is not valid or has expired.' },
  scope_missing: { status: 403, name: 'REQUEST_NOT_AUTHORIZED', text: 'The token does not carry a scope for this operation.' },
  forbidden: { status: 403, name: 'FORBIDDEN', text: 'This user may not do this.' },
  feature_not_booked: { status: 403, name: 'FORBIDDEN', text: 'The feature is not booked for this account.' },
  outbound_not_enabled: { status: 403, name: 'FORBIDDEN', text: 'Outbound calls of assistants are not enabled for this account.' },

  // things that are not there
  not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is nothing with this id.' },
  account_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'The account does not exist.' },
  verification_code_unknown: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'The verification code is not known.' },
  user_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no user with this id.' },
  feature_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no feature with this name.' },
  contact_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no contact with this id.' },
  device_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no device with this id.' },
  address_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no address with this id.' },
  number_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no number with this id.' },
  group_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no group with this id.' },
  phoneline_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no phone line with this id.' },
  faxline_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no fax line with this id.' },
  voicemail_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no voicemail with this id.' },
  greeting_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no greeting with this id.' },
  sms_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no SMS extension with this id.' },
  caller_id_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no caller ID with this id.' },
  sim_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no SIM card in this device.' },
  sim_order_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no SIM order with this id.' },
  porting_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no porting with this id.' },
  flow_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no flow with this id.' },
  call_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'No running call has this callId.' },
  trunk_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no trunk with this id.' },
  dead_letter_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'No undeliverable message has this id.' },
  history_entry_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There is no history entry with this id.' },
  language_not_found: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'There are no translations for this language.' },
  reset_nonce_unknown: { status: 404, name: 'RESOURCE_NOT_FOUND', text: 'This password reset is unknown, used or expired.' },

  // things that do not fit
  conflict: { status: 409, name: 'CONFLICT', text: 'The present state does not allow this.' },
  already_exists: { status: 409, name: 'RESOURCE_ALREADY_EXISTS', text: 'This already exists.' },
  endpoint_in_use: { status: 409, name: 'CONFLICT', text: 'Numbers or forwardings still lead there.' },
  verification_code_spent: { status: 409, name: 'CONFLICT', text: 'The code has expired or was tried too often; ask for a new one.' },
  last_admin: { status: 409, name: 'CONFLICT', text: 'The account would be left without an administrator.' },
  number_not_routable: { status: 409, name: 'CONFLICT', text: 'A number in this state cannot be routed.' },
  quickdial_per_routing: { status: 409, name: 'CONFLICT', text: 'The target already has its quick dial number.' },
  quickdial_taken: { status: 409, name: 'RESOURCE_ALREADY_EXISTS', text: 'The quick dial number is taken.' },
  call_not_in_state: { status: 409, name: 'CONFLICT', text: 'The call is not in a state that allows this.' },
  porting_not_revocable: { status: 409, name: 'CONFLICT', text: 'The porting can no longer be revoked.' },
  contact_limit_reached: { status: 409, name: 'CONFLICT', text: 'The account cannot keep more contacts.' },
  device_limit_reached: { status: 409, name: 'CONFLICT', text: 'The account cannot have more devices.' },
  sim_order_open: { status: 409, name: 'CONFLICT', text: 'A SIM card is already on its way for this device.' },

  // numbers and money
  number_invalid: { status: 400, name: 'PARAMETER_INVALID', text: 'This is not a valid phone number.' },
  callee_invalid: { status: 400, name: 'PARAMETER_INVALID', text: 'callee is not a valid phone number.' },
  caller_invalid: { status: 400, name: 'PARAMETER_INVALID', text: 'caller is neither a device of yours nor a valid phone number.' },
  device_id_missing: { status: 400, name: 'PARAMETER_INVALID', text: 'deviceId is required when caller is a phone number.' },
  flow_without_number: { status: 400, name: 'PARAMETER_INVALID', text: 'The flow has no phone_number.' },
  insufficient_funds: { status: 402, name: 'INSUFFICIENT_FUNDS', text: 'The balance does not cover this.' },
  call_not_allowed: { status: 403, name: 'FORBIDDEN', text: 'This user may not start a call with these parameters.' },
  caller_id_not_owned: { status: 403, name: 'FORBIDDEN', text: 'The caller ID is not a number of this account.' },
  destination_blocked: { status: 403, name: 'FORBIDDEN', text: 'Calls to this destination are not possible from this account.' },
} as const

export type ErrorCode = keyof typeof errors
