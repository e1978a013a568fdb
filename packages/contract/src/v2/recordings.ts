import { operation } from '../operation.ts'
import { byTokenOrAddress } from './signed-address.ts'

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
    status: 204,
    errors: ['recording_not_found'],
  }),
}
