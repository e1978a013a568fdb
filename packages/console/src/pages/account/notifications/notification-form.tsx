import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'
import { usePlaces } from './use-places.ts'
import { type Input, EventFields, RecipientFields } from './notification-fields.tsx'

export const NotificationForm = ({ userId, onClose }: { userId: string; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const create = useWrite('createNotification', {
    refreshes: ['listNotifications'],
    onDone: () => {
      toast.done(saved)
      onClose()
    },
  })
  const form = useForm<Input>({ type: 'VOICEMAIL', via: 'EMAIL', direction: 'INCOMING', endpointId: '', recipient: '' }, create.error)
  const { type, endpointId } = form.values
  const places = usePlaces(userId)?.[type]
  const chosen = places?.find(({ id }) => id === endpointId) ?? places?.[0]
  return (
    <FormModal
      opened
      title={say.addTitle}
      onClose={onClose}
      onSubmit={() => create.mutate([{ userId }, { ...form.values, endpointId: chosen?.id ?? '' }])}
      disabled={chosen === undefined}
      pending={create.isPending}
      error={create.error}
    >
      <EventFields form={form} places={places} chosen={chosen} />
      <RecipientFields form={form} />
    </FormModal>
  )
}
