import { Checkbox, MultiSelect, NumberInput, PasswordInput, Select, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'
import { codecs, transports, valuesOf, wishOf, type Trunk, type TrunkValues } from './trunk-values.ts'

export type { Trunk } from './trunk-values.ts'

/** A new trunk, or the settings of one that is there. */
export const TrunkForm = ({ trunk, onClose }: { trunk?: Trunk; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const done = (words: string) => () => {
    toast.done(words)
    onClose()
  }
  const create = useWrite('createTrunk', { refreshes: ['listTrunks'], onDone: done(say.created) })
  const update = useWrite('updateTrunk', { refreshes: ['listTrunks'], onDone: done(saved) })
  const { error, isPending } = trunk ? update : create
  const form = useForm(valuesOf(trunk), error)
  const submit = (): void => {
    const wish = wishOf(form.values)
    if (!trunk) return create.mutate([{}, wish])
    return update.mutate([{ trunkId: trunk.id }, { ...wish, ...(form.values.forgetPassword && { password: null }) }])
  }
  return (
    <FormModal
      opened
      title={trunk?.name ?? say.create}
      onClose={onClose}
      onSubmit={submit}
      {...(!trunk && { submit: say.create })}
      pending={isPending}
      error={error}
      size="lg"
    >
      <PlaceFields form={form} />
      <LoginFields form={form} {...(trunk && { trunk })} />
      <Textarea
        label={say.sourceAddresses}
        description={say.sourceHint}
        autosize
        minRows={2}
        {...form.text('sources')}
        error={fieldProblem(error, 'sourceAddresses')}
      />
      <Textarea
        label={say.mediaAddresses}
        description={say.mediaHint}
        autosize
        {...form.text('media')}
        error={fieldProblem(error, 'mediaAddresses')}
      />
      <LimitFields form={form} />
      <Switch label={say.active} {...form.tick('active')} />
    </FormModal>
  )
}

const PlaceFields = ({ form }: { form: Form<TrunkValues> }) => {
  const say = useText(text)
  return (
    <>
      <TextInput label={say.name} required data-autofocus {...form.text('name')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.host} description={say.hostHint} required {...form.text('host')} />
        <NumberInput label={say.port} description={say.portHint} min={1} max={65_535} hideControls {...form.value('port')} />
      </SimpleGrid>
      <Select label={say.transport} allowDeselect={false} data={[...transports]} {...form.value('transport')} />
    </>
  )
}

const LoginFields = ({ form, trunk }: { form: Form<TrunkValues>; trunk?: Trunk }) => {
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

const LimitFields = ({ form }: { form: Form<TrunkValues> }) => {
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
    </>
  )
}
