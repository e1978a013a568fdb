import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'

export type Carrier = OutputOf<'listCarriers'>['items'][number]

/** A new carrier, or a change of one; a secret that was made here is shown once. */
export const CarrierForm = ({ carrier, onClose }: { carrier?: Carrier; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const [made, setMade] = useState<string>()
  const refreshes = ['listCarriers'] as const
  const done = (): void => {
    toast.done(saved)
    onClose()
  }
  const create = useWrite('createCarrier', { refreshes, onDone: ({ secret }) => (secret === undefined ? done() : setMade(secret)) })
  const update = useWrite('updateCarrier', { refreshes, onDone: done })
  const { error, isPending } = carrier ? update : create
  const form = useForm({ code: carrier?.code ?? '', name: carrier?.name ?? '', url: carrier?.url ?? '', secret: '' }, error)
  const { code, name, url, secret } = form.values
  const submit = (): void => {
    const body = { name, url, ...(secret !== '' && { secret }) }
    if (carrier) update.mutate([{ carrierCode: carrier.code }, body])
    else create.mutate([{}, { code, ...body }])
  }
  if (made !== undefined) return <SecretModal title={say.made(name)} secrets={[{ label: say.secret, value: made }]} onClose={onClose} />
  return (
    <FormModal opened title={carrier?.name ?? say.create} onClose={onClose} onSubmit={submit} pending={isPending} error={error}>
      {!carrier && <TextInput label={say.code} description={say.codeHint} required data-autofocus {...form.text('code')} />}
      <TextInput label={say.name} required {...form.text('name')} />
      <TextInput label={say.url} description={say.urlHint} required type="url" {...form.text('url')} />
      <TextInput
        label={say.secret}
        description={carrier ? say.secretKept : say.secretNew}
        autoComplete="off"
        placeholder="whsec_…"
        {...form.text('secret')}
      />
    </FormModal>
  )
}
