import type { OutputOf } from '#api/use-service.ts'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { endpointKinds } from '../parts/endpoints.ts'
import { TargetPicker } from '../parts/target-picker.tsx'
import { useTarget } from '../parts/use-target.ts'
import { text } from './text.ts'

export type PhoneNumberRow = OutputOf<'listNumbers'>['items'][number]

/** Chooses where a number leads. */
export const RouteForm = ({ number, onClose }: { number: PhoneNumberRow; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const { phone } = useFormat()
  const target = useTarget(number)
  const change = useWrite('changeNumber', {
    refreshes: ['listNumbers', 'listUserNumbers', 'listPhonelineNumbers', 'listGroupNumbers', 'listInternalContacts'],
    onDone: () => {
      toast.done(say.routed)
      onClose()
    },
  })
  const kinds = endpointKinds.filter((kind) => kind !== 'sms' || number.type === 'MOBILE')
  const wanted = target.kind === undefined ? '' : target.endpointId
  return (
    <FormModal
      opened
      title={say.routeTitle(phone(number.number))}
      onClose={onClose}
      onSubmit={() => change.mutate([{ numberId: number.id }, { endpointId: wanted }])}
      disabled={target.kind !== undefined && wanted === ''}
      pending={change.isPending}
      error={change.error}
    >
      <TargetPicker target={target} kinds={kinds} nowhere error={fieldProblem(change.error, 'endpointId')} />
    </FormModal>
  )
}
