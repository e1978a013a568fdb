import { Select, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { useRead, useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { HolderFields, noHolder } from '#pages/account/portings/holder-fields.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { text } from './text.ts'

const nothing = {
  accountId: '',
  numbers: '',
  carrier: null as string | null,
  portDate: '',
  email: '',
  ...noHolder,
}

type Values = typeof nothing

const bodyOf = ({ accountId, numbers, carrier, portDate, email, ...holder }: Values) => ({
  accountId,
  numbers: numbers.split(/[\n,;]+/).flatMap((number) => (number.trim() === '' ? [] : [number.trim()])),
  holder,
  email,
  ...(carrier !== null && { carrier }),
  ...(portDate !== '' && { portDate }),
})

/** Begins a porting for an account. */
export const CreatePorting = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const carriers = useRead('listCarriers')
  const create = useWrite('createPorting', { refreshes: ['listAllPortings'], onDone: ({ id }) => go(`/operator/portings/${id}`) })
  const form = useForm({ ...nothing, accountId }, create.error)
  const choices = (carriers.data?.items ?? []).map(({ code, name }) => ({ value: code, label: `${name} (${code})` }))
  return (
    <FormModal
      opened
      title={say.create}
      onClose={onClose}
      onSubmit={() => create.mutate([{}, bodyOf(form.values)])}
      submit={say.create}
      pending={create.isPending}
      error={create.error}
      size="lg"
    >
      <AccountSelect
        value={form.values.accountId}
        onChange={(chosen) => form.set('accountId', chosen)}
        error={fieldProblem(create.error, 'accountId')}
      />
      <Textarea label={say.numbers} description={say.numbersHint} required autosize minRows={2} {...form.text('numbers')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select label={say.carrier} description={say.carrierHint} clearable data={choices} {...form.value('carrier')} />
        <TextInput type="date" label={say.date} description={say.dateHint} {...form.text('portDate')} />
      </SimpleGrid>
      <HolderFields form={form} error={create.error} />
      <TextInput type="email" label={say.email} description={say.emailHint} required {...form.text('email')} />
    </FormModal>
  )
}
