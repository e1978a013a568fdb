import { useState } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { TargetPicker } from '../parts/target-picker.tsx'
import { text as accountText } from '../parts/text.ts'
import { useTarget } from '../parts/use-target.ts'
import { QuickDialField } from './quick-dial-field.tsx'
import { text } from './text.ts'

export type QuickDial = OutputOf<'listNumbers'>['items'][number]

const refreshes = ['listNumbers', 'listUserNumbers', 'listPhonelineNumbers', 'listGroupNumbers', 'listInternalContacts'] as const

/** A new quick dial, or another number or target for one. */
export const QuickDialForm = ({ quickDial, onClose }: { quickDial?: QuickDial | undefined; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const [number, setNumber] = useState(quickDial?.number ?? '')
  const target = useTarget(quickDial ?? { endpointId: '', endpointUrl: '' }, 'line')
  const done = (): void => {
    toast.done(quickDial ? saved : say.added(number))
    onClose()
  }
  const add = useWrite('addQuickDial', { refreshes, onDone: done })
  const change = useWrite('changeQuickDial', { refreshes, onDone: done })
  const write = quickDial ? change : add
  const submit = (): void => {
    const input = { userId: target.endpointId, number }
    if (quickDial) change.mutate([{ quickdialId: quickDial.id }, input])
    else add.mutate([{}, input])
  }
  return (
    <FormModal
      opened
      title={quickDial ? say.editTitle(quickDial.number) : say.addTitle}
      onClose={onClose}
      onSubmit={submit}
      disabled={number.length < 2 || target.endpointId === ''}
      pending={write.isPending}
      error={write.error}
    >
      <QuickDialField value={number} own={quickDial?.number} onChange={setNumber} error={fieldProblem(write.error, 'number')} />
      <TargetPicker target={target} kinds={['line', 'group']} error={fieldProblem(write.error, 'userId')} />
    </FormModal>
  )
}
