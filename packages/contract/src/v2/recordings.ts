import { operation } from '../operation.ts'
import { Type } from 'typebox'
import { Input } from '../values.ts'

const signed = Type.Optional(Type.String({ maxLength: 100, description: 'Part of addresses that the history gives' }))

/** For resources fetched with a token, or at an address from the history. */
export const byTokenOrAddress = {
  method: 'GET',
  auth: 'user',
  bearer: true,
  scopes: ['history:read'],
  permission: 'CAN_GET_HISTORY',
  scoped: true,
  signedAddress: true,
  query: Input({ account: signed, user: signed, expires: signed, signature: signed }),
  status: 200,
} as const

export const recordingOperations = {
  getRecording: operation({
    ...byTokenOrAddress,
    id: 'getRecording',
    path: '/v2/recordings/{recordingId}',
    summary: 'The sound of a recorded call or a voicemail, whole or a range of it',
    file: 'audio/wav',
    errors: ['recording_not_found', 'recording_link_invalid', 'range_not_satisfiable'],
  }),
  deleteRecording: operation({
    id: 'deleteRecording',
    method: 'DELETE',
    path: '/v2/recordings/{recordingId}',
    summary: 'Erase a recording and take it out of the history',
    auth: 'user',
    bearer: true,
    scopes: ['history:write'],
    permission: 'CAN_CHANGE_HISTORY',
    scoped: true,
    status: 204,
    errors: ['recording_not_found'],
  }),
}
