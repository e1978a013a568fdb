import { randomUUID } from 'node:crypto'

/** Request that must not change anything. */
export interface Nonsense {
  from: 'people' | 'stranger' | 'invalid'
  method: string
  path: string
  body: unknown
  status: number
}

const bad = (path: string, body: unknown, method = 'PUT'): ((callId: string) => Nonsense) => {
  return (callId) => ({ from: 'people', method, path: `/v2/calls/${callId}/${path}`, body, status: 400 })
}

const orders: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['PUT', '/hold', { value: true }],
  ['PUT', '/muted', { value: true }],
  ['PUT', '/recording', { value: true }],
  ['POST', '/dtmf', { sequence: '1' }],
  ['DELETE', ''],
]

const byOthers = (from: 'stranger' | 'invalid', status: number): ((callId: string) => Nonsense)[] =>
  orders.map(([method, path, body]) => (callId) => ({ from, method, path: `/v2/calls/${callId}${path}`, body, status }))

/** Built from the id of a running call. */
export const nonsense: readonly ((callId: string) => Nonsense)[] = [
  bad('hold', { value: 'yes' }),
  bad('hold', {}),
  bad('muted', { value: null }),
  bad('recording', { value: true, announcement: 'please' }),
  bad('dtmf', { sequence: '12A' }, 'POST'),
  bad('dtmf', { sequence: '' }, 'POST'),
  bad('transfer', { attended: false, phoneNumber: 'Ada' }, 'POST'),
  bad('announcements', { url: 'file:///etc/passwd' }, 'POST'),
  () => ({ from: 'people', method: 'PUT', path: `/v2/calls/${randomUUID()}/hold`, body: { value: true }, status: 404 }),
  () => ({ from: 'people', method: 'DELETE', path: `/v2/calls/${randomUUID()}`, body: undefined, status: 404 }),
  ...byOthers('stranger', 404),
  ...byOthers('invalid', 401),
]
