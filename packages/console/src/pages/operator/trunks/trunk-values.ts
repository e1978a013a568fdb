import type { InputOf, OutputOf } from '#api/use-service.ts'

export type Trunk = OutputOf<'listTrunks'>['items'][number]
export type TrunkInput = InputOf<'createTrunk'>[1]

export const transports = ['UDP', 'TCP', 'TLS'] as const
export const codecs = ['PCMA', 'PCMU', 'G722'] as const

/** What stands in the form: texts where the service wants lists, and nothing where it has a default. */
export const valuesOf = (trunk: Trunk | undefined) => ({
  name: trunk?.name ?? '',
  host: trunk?.host ?? '',
  port: trunk?.port ?? ('' as const),
  transport: trunk?.transport ?? 'UDP',
  outboundProxy: trunk?.outboundProxy ?? '',
  username: trunk?.username ?? '',
  password: '',
  forgetPassword: false,
  realm: trunk?.realm ?? '',
  register: trunk?.register ?? false,
  registerSeconds: trunk?.registerSeconds ?? 600,
  sources: trunk?.sourceAddresses.join('\n') ?? '',
  media: trunk?.mediaAddresses.join('\n') ?? '',
  numberFormat: trunk?.numberFormat ?? 'PLUS',
  defaultNumber: trunk?.defaultNumber ?? '',
  codecs: trunk?.codecs ?? ['PCMA', 'PCMU', 'G722'],
  maxCalls: trunk?.maxCalls ?? 30,
  strictMaxCalls: trunk?.strictMaxCalls ?? false,
  callsPerSecond: trunk?.callsPerSecond ?? 10,
  priority: trunk?.priority ?? 100,
  active: trunk?.active ?? true,
})

export type TrunkValues = ReturnType<typeof valuesOf>

export const inputOf = ({ port, password, forgetPassword: _forget, sources, media, ...rest }: TrunkValues): TrunkInput => ({
  ...rest,
  ...(port !== '' && { port }),
  ...(password !== '' && { password }),
  sourceAddresses: listOf(sources),
  mediaAddresses: listOf(media),
})

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((address) => address !== '')
