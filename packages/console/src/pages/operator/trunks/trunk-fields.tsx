import { Checkbox, MultiSelect, NumberInput, PasswordInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import type { InputOf, OutputOf } from '#api/use-service.ts'

export const PlaceFields = ({ form }: { form: Form<TrunkValues> }) => {
  const say = useText(text)
  return (
    <>
      <TextInput label={say.name} required data-autofocus {...form.text('name')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.host} description={say.hostHint} required {...form.text('host')} />
        <NumberInput label={say.port} description={say.portHint} min={1} max={65_535} hideControls {...form.value('port')} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select label={say.transport} allowDeselect={false} data={[...transports]} {...form.value('transport')} />
        <TextInput label={say.outboundProxy} description={say.outboundProxyHint} {...form.text('outboundProxy')} />
      </SimpleGrid>
    </>
  )
}

export const LoginFields = ({ form, trunk }: { form: Form<TrunkValues>; trunk?: Trunk }) => {
  const say = useText(text)
  const { host, outboundProxy } = form.values
  const isMoved = trunk?.passwordSet && (host.toLowerCase() !== trunk.host || outboundProxy.toLowerCase() !== trunk.outboundProxy)
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.username} autoComplete="off" {...form.text('username')} />
        <PasswordInput
          label={say.password}
          autoComplete="new-password"
          {...(trunk?.passwordSet && (isMoved ? { description: say.passwordAgain } : { placeholder: say.passwordKept }))}
          {...form.text('password')}
        />
      </SimpleGrid>
      {trunk?.passwordSet && <Checkbox label={say.forgetPassword} {...form.tick('forgetPassword')} />}
      <TextInput label={say.realm} description={say.realmHint} {...form.text('realm')} />
      <Switch label={say.register} description={say.registerHint} {...form.tick('register')} />
      {form.values.register && <NumberInput label={say.registerSeconds} min={60} max={86_400} {...form.value('registerSeconds')} />}
    </>
  )
}

export const LimitFields = ({ form }: { form: Form<TrunkValues> }) => {
  const say = useText(text)
  return (
    <>
      <Select
        label={say.numberFormat}
        allowDeselect={false}
        data={Object.entries(say.numberFormats).map(([value, label]) => ({ value, label }))}
        {...form.value('numberFormat')}
      />
      <TextInput label={say.defaultNumber} description={say.defaultNumberHint} {...form.text('defaultNumber')} />
      <MultiSelect
        label={say.codecs}
        data={[...codecs]}
        value={form.values.codecs}
        onChange={(chosen) => form.set('codecs', chosen)}
        error={form.value('codecs').error}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberInput label={say.maxCalls} min={1} {...form.value('maxCalls')} />
        <NumberInput label={say.callsPerSecond} min={1} max={100} {...form.value('callsPerSecond')} />
        <NumberInput label={say.priority} description={say.priorityHint} min={0} max={1000} {...form.value('priority')} />
      </SimpleGrid>
      <Checkbox label={say.strictMaxCalls} description={say.strictMaxCallsHint} {...form.tick('strictMaxCalls')} />
      <Checkbox label={say.emergencyLocation} description={say.emergencyLocationHint} {...form.tick('emergencyLocation')} />
    </>
  )
}

export type Trunk = OutputOf<'listTrunks'>['items'][number]
type TrunkInput = InputOf<'createTrunk'>[1]

const transports = ['UDP', 'TCP', 'TLS'] as const
const codecs = ['PCMA', 'PCMU', 'G722'] as const

/** Form values: text instead of lists, empty for defaults. */
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
  emergencyLocation: trunk?.emergencyLocation ?? false,
  callsPerSecond: trunk?.callsPerSecond ?? 10,
  priority: trunk?.priority ?? 100,
  active: trunk?.active ?? true,
})

type TrunkValues = ReturnType<typeof valuesOf>

export const inputOf = ({ port, password, forgetPassword: _forget, sources, media, ...rest }: TrunkValues): TrunkInput => ({
  ...rest,
  ...(port !== '' && { port }),
  ...(password !== '' && { password }),
  sourceAddresses: listOf(sources),
  mediaAddresses: listOf(media),
})

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((address) => address !== '')
