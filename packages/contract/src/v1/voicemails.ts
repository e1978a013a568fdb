import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Items, OneOf, Output } from '../values.ts'
import {
  Greeting,
  GreetingChange,
  greetingBodyLimit,
  GreetingWithContent,
  NewGreeting,
  Voicemail,
  VoicemailChange,
} from './voicemails/voicemail-elements.ts'

const reading = {
  auth: 'user',
  bearer: true,
  permission: 'CAN_GET_VOICEMAILS',
  scopes: ['phonelines:voicemails:read', 'groups:voicemails:read'],
  status: 200,
} as const
const changing = { auth: 'user', bearer: true, permission: 'CAN_CHANGE_VOICEMAILS', scopes: ['phonelines:voicemails:write'] } as const

/** The same voicemails by their own id, which is the only access to those of groups. */
export const voicemailOperations = {
  listVoicemails: operation({
    ...reading,
    id: 'listVoicemails',
    heavy: true,
    method: 'GET',
    path: '/v1/voicemails',
    summary: 'Voicemails of the own phone lines and of groups',
    reply: Items(
      Output({
        ...Voicemail.properties,
        belongsToEndpoint: Output({ extension: Type.String(), type: OneOf(['PHONELINE', 'GROUP']) }),
      }),
    ),
  }),
  getVoicemail: operation({
    ...reading,
    id: 'getVoicemail',
    method: 'GET',
    path: '/v1/voicemails/{voicemailId}',
    summary: 'A voicemail of an own phone line or of a group',
    reply: Voicemail,
    errors: ['voicemail_not_found'],
  }),
  changeVoicemail: operation({
    ...changing,
    id: 'changeVoicemail',
    method: 'PUT',
    path: '/v1/voicemails/{voicemailId}',
    summary: 'Change a voicemail; that of a group only as administrator',
    body: VoicemailChange,
    status: 204,
    errors: ['voicemail_not_found'],
  }),
  listGreetings: operation({
    ...reading,
    id: 'listGreetings',
    method: 'GET',
    path: '/v1/voicemails/{voicemailId}/greetings',
    summary: 'Greetings of a voicemail',
    reply: Items(Greeting),
    errors: ['voicemail_not_found'],
  }),
  createGreeting: operation({
    ...changing,
    id: 'createGreeting',
    heavy: true,
    method: 'POST',
    path: '/v1/voicemails/{voicemailId}/greetings',
    summary: 'Add a greeting; the first one is active at once',
    body: NewGreeting,
    bodyLimit: greetingBodyLimit,
    status: 201,
    reply: Greeting,
    errors: ['voicemail_not_found', 'conflict'],
  }),
  getGreeting: operation({
    ...reading,
    id: 'getGreeting',
    method: 'GET',
    path: '/v1/voicemails/{voicemailId}/greetings/{greetingId}',
    summary: 'One greeting with its sound',
    reply: GreetingWithContent,
    errors: ['voicemail_not_found', 'greeting_not_found'],
  }),
  changeGreeting: operation({
    ...changing,
    id: 'changeGreeting',
    method: 'PUT',
    path: '/v1/voicemails/{voicemailId}/greetings/{greetingId}',
    summary: 'Make a greeting the active one',
    body: GreetingChange,
    status: 204,
    errors: ['voicemail_not_found', 'greeting_not_found', 'conflict'],
  }),
  deleteGreeting: operation({
    ...changing,
    id: 'deleteGreeting',
    method: 'DELETE',
    path: '/v1/voicemails/{voicemailId}/greetings/{greetingId}',
    summary: 'Delete a greeting; if it was the active one, the latest of the others takes its place',
    status: 204,
    errors: ['voicemail_not_found', 'greeting_not_found'],
  }),
}
