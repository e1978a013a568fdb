import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ServiceError } from './service-error.ts'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Throws unless the request has one of the keys: `Authorization: Bearer …`. */
export const accessFor = (keys: readonly string[]): ((request: IncomingMessage) => void) => {
  const wanted = keys.map(digest)
  return ({ headers: { authorization = '' } }) => {
    const given = digest(/^Bearer ([\x21-\x7e]{1,500})$/i.exec(authorization)?.[1] ?? '')
    const matches = wanted.filter((key) => timingSafeEqual(key, given)).length
    if (matches === 0)
      throw new ServiceError(401, 'invalid_api_key', 'The key is wrong or missing. Send Authorization: Bearer and a key of this service.')
  }
}
