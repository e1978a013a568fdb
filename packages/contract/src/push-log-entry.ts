import { Type } from 'typebox'
import { Output, Timestamp } from './values.ts'

/** One request to an account's own software (push webhooks). */
export const PushLogEntry = Output({
  created: Timestamp,
  url: Type.String({ description: 'Without the name and password that it may hold' }),
  request: Type.String({ description: 'The form that was sent' }),
  response: Type.String({ description: 'What came back, at most 16 KiB of it' }),
  xmlError: Type.String({ description: 'Why the answer was not followed; empty when nothing was wrong' }),
  status: Type.Integer({ description: 'HTTP status of the answer; 0 when there was none' }),
})
