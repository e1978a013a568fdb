import { SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const DecideOutbound = ({ accountId, enabled, onClose }: { accountId: string; enabled: boolean; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const review = useWrite('reviewAccountOutbound', {
    refreshes: ['readAccountOutbound', 'readAccount', 'listAccounts'],
    onDone: () => {
      toast.done(say.decided)
      onClose()
    },
  })
  const form = useForm({ enabled: !enabled, reviewer: '', reason: '' }, review.error)
  return (
    <FormModal
      opened
      title={say.outboundTitle}
      onClose={onClose}
      onSubmit={() => review.mutate([{ accountId }, form.values])}
      submit={say.decide}
      pending={review.isPending}
      error={review.error}
    >
      <SegmentedControl
        aria-label={say.decision}
        data={[
          { value: 'yes', label: say.allow },
          { value: 'no', label: say.forbid },
        ]}
        value={form.values.enabled ? 'yes' : 'no'}
        onChange={(value) => form.set('enabled', value === 'yes')}
      />
      <TextInput label={say.reviewer} required {...form.text('reviewer')} />
      <Textarea label={say.reason} required autosize minRows={3} {...form.text('reason')} />
    </FormModal>
  )
}
