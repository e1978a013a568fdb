import { Checkbox, MultiSelect, NumberInput, PasswordInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { codecs, transports, type Trunk, type TrunkValues } from './trunk-values.ts'

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
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.username} autoComplete="off" {...form.text('username')} />
        <PasswordInput
          label={say.password}
          autoComplete="new-password"
          {...(trunk?.passwordSet && { placeholder: say.passwordKept })}
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
    </>
  )
}
