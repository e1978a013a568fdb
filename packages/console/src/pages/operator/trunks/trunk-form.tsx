import { Switch, Textarea } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'
import { valuesOf, inputOf, type Trunk } from './trunk-values.ts'
import { PlaceFields, LoginFields, LimitFields } from './trunk-fields.tsx'

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
    const input = inputOf(form.values)
    if (!trunk) return create.mutate([{}, input])
    return update.mutate([{ trunkId: trunk.id }, { ...input, ...(form.values.forgetPassword && { password: null }) }])
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
