type Schema = Record<string, unknown>

const moment = '2027-01-31T14:30:00.000Z'

/** Example values by field name; the first one that fits the shape is used. */
const words: Record<string, readonly unknown[]> = {
  accountId: ['1234567'],
  addressId: ['17'],
  aiFlowId: ['0f8f9a1e-6c1f-4d53-9a51-3c0c4f2f7a10'],
  alias: ['Reception'],
  allowedNumbers: ['+4921163550000'],
  base64Content: ['JVBERi0xLjQK'],
  billingDevice: ['e0'],
  callId: ['6f1f0c52-2f3b-4d1c-9d8e-0b0b7f0a5c11'],
  callee: ['+4921163550001'],
  caller: ['e0'],
  callerId: ['+4921163550000'],
  city: ['Düsseldorf'],
  company: ['Example Ltd'],
  country: ['DE'],
  countrycode: ['DE'],
  currency: ['EUR'],
  destination: ['+4915112345678'],
  deviceId: ['e0'],
  digit: ['1'],
  domain: ['example.com'],
  domains: ['example.com'],
  email: ['ada@example.com'],
  emails: ['ada@example.com'],
  endpointAlias: ['Reception'],
  endpointId: ['p0'],
  endpointUrl: ['/v1/w0/phonelines/p0'],
  faxlineId: ['f0'],
  filename: ['letter.pdf'],
  firstname: ['Ada'],
  groupId: ['g0'],
  host: ['sip.example.com'],
  iccid: ['894900000000000000'],
  id: ['17', 17],
  imsi: ['262019000000000'],
  language: ['en-US'],
  languages: ['en-US'],
  lastname: ['Lovelace'],
  locality: ['Düsseldorf'],
  locale: ['en_US'],
  localized: ['0211 63550000'],
  message: ['Your order is ready.'],
  name: ['Reception'],
  number: ['+4921163550000', '44'],
  numbers: ['+4921163550000'],
  password: ['correct horse battery staple'],
  passwordRepeat: ['correct horse battery staple'],
  phoneNumber: ['+4915112345678'],
  phonenumber: ['+4915112345678'],
  portDate: ['2027-01-31'],
  postalCode: ['40213'],
  postcode: ['40213'],
  puk1: ['12345678'],
  puk2: ['12345678'],
  quickDial: [false],
  recipient: ['+4915112345678'],
  redirectUris: ['https://app.example/callback'],
  releaseForMnp: [false],
  secret: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  sendAt: [1_801_405_800],
  sequence: ['1234#', 7],
  sessionId: ['6f1f0c52-2f3b-4d1c-9d8e-0b0b7f0a5c11'],
  smsId: ['s0'],
  status: [500],
  street: ['Marktplatz'],
  streetAddress: ['Marktplatz 2'],
  text: ['Hello, how can I help?'],
  toPhoneNumber: ['4915112345678'],
  url: ['https://app.example/hook'],
  userId: ['w0'],
  username: ['ada@example.com'],
  verificationCode: ['ABC123'],
}

/** Example texts for other fields. */
const usualTexts = [
  'text',
  moment,
  '+4921163550000',
  'https://app.example/hook',
  'e0',
  '0211',
  '2027-01-31',
  'a1b2c3d4',
  '17',
  'DE',
  'EUR',
  'en-US',
  '08:30',
]

/** A deterministic example of this shape, for readers of the reference and for mock servers. */
export const exampleOf = (schema: Schema, name = ''): unknown => {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf.find(isSomething) as Schema, name)
  const own = words[name]?.find((word) => fits(schema, word))
  return own ?? ofType(schema, name)
}

const isSomething = (schema: Schema): boolean => schema.type !== 'null'

const ofType = (schema: Schema, name: string): unknown => {
  switch (schema.type) {
    case 'object':
      return exampleObject(schema)
    case 'array':
      return Array.from({ length: Math.max(1, number(schema.minItems, 1)) }, () => exampleOf(schema.items as Schema, name))
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return number(schema.minimum, 1)
    case 'string':
      return isTime(schema) ? moment : (usualTexts.find((text) => fits(schema, text)) ?? 'x'.repeat(number(schema.minLength, 1)))
    default:
      return {}
  }
}

const isTime = ({ format, description }: Schema): boolean =>
  format === 'date-time' || (typeof description === 'string' && description.includes('ISO 8601'))

const exampleObject = ({ properties = {} }: Schema): Schema =>
  Object.fromEntries(Object.entries(properties as Record<string, Schema>).map(([name, inner]) => [name, exampleOf(inner, name)]))

/** Whether a text or number fits the shape. */
const fits = ({ type, pattern, minLength, maxLength, minimum, maximum }: Schema, value: unknown): boolean => {
  if (typeof value === 'boolean') return type === 'boolean'
  if (typeof value === 'number')
    return (type === 'integer' || type === 'number') && value >= number(minimum, -Infinity) && value <= number(maximum, Infinity)
  if (type !== 'string' || typeof value !== 'string') return false
  const isLong = value.length >= number(minLength, 0) && value.length <= number(maxLength, Infinity)
  return isLong && (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value))
}

const number = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)
