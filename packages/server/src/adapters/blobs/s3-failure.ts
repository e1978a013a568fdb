import { BlobsFailure } from '#core/kernel/ports/blobs.ts'

/** Where the files are, as far as messages name it. */
export interface S3Place {
  bucket: string
  region: string
  /** Scheme and host of the store. */
  origin: string
}

export interface S3Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Of an error; HEAD has none. */
  text: string
}

export const elementOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** In one sentence what is wrong, with the setting that has to be looked at. */
export const failureOf = (place: S3Place, answer: S3Answer, now: number): BlobsFailure => {
  const { status, text } = answer
  const code = elementOf(text, 'Code') ?? ''
  if (status >= 500 && code !== 'NotImplemented') return new BlobsFailure('away', `The store ${place.origin} answers ${status} ${code}.`)
  const said = sentences[code]?.(place, answer, now) ?? withoutCode(place, status, code)
  return new BlobsFailure(code === 'SlowDown' ? 'away' : 'refused', said)
}

const sentences: Record<string, (place: S3Place, answer: S3Answer, now: number) => string> = {
  SignatureDoesNotMatch: ({ origin }) =>
    `The store ${origin} does not accept the signature: OFFHOOK_S3_SECRET does not belong to OFFHOOK_S3_KEY.`,
  InvalidAccessKeyId: ({ origin }) => `The store ${origin} does not know the key of OFFHOOK_S3_KEY.`,
  AccessDenied: ({ bucket }) =>
    `The key of OFFHOOK_S3_KEY may not read, write, list and delete in the bucket ${bucket}: its policy has to allow GetObject, PutObject, DeleteObject and ListBucket.`,
  NoSuchBucket: ({ bucket, origin }) => `There is no bucket ${bucket} at ${origin}: make it, or correct OFFHOOK_FILES.`,
  RequestTimeTooSkewed: (_, { headers }, now) => skew(String(headers['date'] ?? ''), now),
  AuthorizationHeaderMalformed: (place, { text }) => wrongRegion(place, elementOf(text, 'Region')),
  PermanentRedirect: (place, { text }) => wrongRegion(place, elementOf(text, 'Region')),
  NotImplemented: (_, { text }) => `The store cannot do what is asked: ${elementOf(text, 'Message') ?? ''} Look at OFFHOOK_S3_SSE.`,
  'KMS.NotFoundException': () => 'The store does not know the key that OFFHOOK_S3_SSE names.',
}

const wrongRegion = ({ bucket, region }: S3Place, right: string | undefined): string =>
  `The bucket ${bucket} is not in the region ${region}: set OFFHOOK_S3_REGION${right === undefined ? '' : ` to ${right}`}.`

const skew = (theirs: string, now: number): string => {
  const apart = Math.round((now - Date.parse(theirs)) / 1000)
  const known = Number.isNaN(apart) ? '' : ` by ${Math.abs(apart)} seconds`
  return `The clock of this machine and that of the store differ${known}: set it, best by NTP.`
}

const withoutCode = ({ bucket, origin }: S3Place, status: number, code: string): string =>
  status === 403
    ? `The store ${origin} refuses the key of OFFHOOK_S3_KEY, or what it wants in the bucket ${bucket}.`
    : `The store ${origin} answers ${status} ${code}.`

const networkWords: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name has no address',
  EAI_AGAIN: 'its name cannot be looked up',
  ECONNRESET: 'it ended the connection',
  UND_ERR_SOCKET: 'it ended the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself; NODE_EXTRA_CA_CERTS can name it',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from an unknown authority; NODE_EXTRA_CA_CERTS can name it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is from an unknown authority; NODE_EXTRA_CA_CERTS can name it',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** No answer at all. */
export const unreachable = ({ origin }: S3Place, error: unknown): BlobsFailure => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new BlobsFailure(
    'away',
    `The store ${origin} (OFFHOOK_S3_URL) cannot be reached: ${networkWords[code] ?? (code || message)}.`,
    error,
  )
}
