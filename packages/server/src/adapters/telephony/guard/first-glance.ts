/** Facts about a message from its bytes alone, before parsing. Everything here is linear in its length. */

const LF = 10
const CR = 13

export const isSipResponse = (message: Uint8Array): boolean => startsWith(message, 0, 'sip/2.0 ')

/** Methods are case-sensitive; misspelled ones get the limit of other requests. */
export const isRegister = (message: Uint8Array): boolean => startsWith(message, 0, 'register ')

export const isInvite = (message: Uint8Array): boolean => startsWith(message, 0, 'invite ')

/** User agents of programs that scan for phone systems to break into. */
const scanners = [
  'friendly-scanner',
  'friendly-request',
  'sipvicious',
  'sipcli',
  'sip-scan',
  'sipscan',
  'sundayddr',
  'vaxsipuseragent',
  'pplsip',
  'siparmyknife',
]

export const isScanner = (message: Uint8Array): boolean => {
  const name = userAgentOf(message)
  return name !== '' && scanners.some((scanner) => name.includes(scanner))
}

/** Identifies the dialog or transaction of a message. Fields that are missing or misplaced are undefined. */
export interface Glance {
  isResponse: boolean
  /** Branch of the topmost Via; responses only. */
  branch: string | undefined
  /** Only for requests with a tag in To. */
  callId: string | undefined
  toTag: string | undefined
  nonce: string | undefined
}

const MOST_GLANCED = 4096
const branch = /^(?:via|v)[ \t]*:[^\r\n]*?;[ \t]*branch=([^;,\s]+)/im
const callId = /^(?:call-id|i)[ \t]*:[ \t]*(\S+)/im
const toTag = /^(?:to|t)[ \t]*:[^\r\n]*?;[ \t]*tag=([^;\s]+)/im
const nonce = /^(?:proxy-)?authorization[ \t]*:[^\r\n]*?[ \t,]nonce="([^"\r\n]*)"/im

export const glanceAt = (message: Uint8Array): Glance => {
  const text = Buffer.from(message.buffer, message.byteOffset, Math.min(message.length, MOST_GLANCED)).toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const head = end === -1 ? text : text.slice(0, end)
  const isResponse = isSipResponse(message)
  const tag = isResponse ? undefined : toTag.exec(head)?.[1]
  return {
    isResponse,
    branch: isResponse ? branch.exec(head)?.[1] : undefined,
    callId: tag === undefined ? undefined : callId.exec(head)?.[1],
    toTag: tag,
    nonce: isResponse ? undefined : nonce.exec(head)?.[1],
  }
}

/** Lower case; empty if missing. */
const userAgentOf = (message: Uint8Array): string => {
  for (let line = message.indexOf(LF) + 1; line > 0; line = message.indexOf(LF, line) + 1) {
    if (message[line] === CR || message[line] === LF) return ''
    if (!startsWith(message, line, 'user-agent')) continue
    const end = message.indexOf(LF, line)
    const value = message.subarray(line + 'user-agent'.length, end === -1 ? message.length : end)
    return Buffer.from(value.subarray(0, 256)).toString('latin1').toLowerCase()
  }
  return ''
}

/** `lower` is in lower case; the message may be in any. */
const startsWith = (message: Uint8Array, at: number, lower: string): boolean => {
  if (message.length - at < lower.length) return false
  for (let index = 0; index < lower.length; index++) {
    const byte = message[at + index] ?? 0
    if ((byte >= 65 && byte <= 90 ? byte + 32 : byte) !== lower.charCodeAt(index)) return false
  }
  return true
}
