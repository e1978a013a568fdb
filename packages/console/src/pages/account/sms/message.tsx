import { Button, Group, Text } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useReason } from '#parts/value/use-reason.ts'
import classes from './messages.module.css'
import { text } from './text.ts'
import type { SmsEntry } from './threads.ts'

type Status = NonNullable<SmsEntry['smsStatusType']>

const tones: Readonly<Record<Status, Tone>> = { SCHEDULED: 'warning', PENDING: 'busy', SENT: 'good', DELIVERED: 'good', FAILED: 'bad' }

/** One message with what became of it. */
export const Message = ({ entry }: { entry: SmsEntry }) => {
  const say = useText(text)
  const { incoming, smsContent, created, smsStatusType, smsReason, scheduled } = entry
  const { moment } = useFormat()
  const reason = useReason(smsReason)
  const waits = smsStatusType === 'SCHEDULED' && scheduled !== undefined
  return (
    <li className={classes.bubble} data-own={!incoming}>
      <div className={classes.words}>{smsContent}</div>
      <Group gap="xs" mt={4} justify={incoming ? 'flex-start' : 'flex-end'}>
        <Text size="xs" c="dimmed">
          {waits ? say.scheduledFor(moment(scheduled)) : <Time at={created} />}
        </Text>
        {!incoming && smsStatusType && (
          <StatusBadge tone={tones[smsStatusType]} pulse={smsStatusType === 'PENDING'}>
            {say.statuses[smsStatusType]}
          </StatusBadge>
        )}
        {waits && <CancelButton entryId={entry.id} />}
      </Group>
      {reason !== undefined && (
        <Text size="xs" mt={2} c="var(--mantine-color-error)">
          {reason}
        </Text>
      )}
    </li>
  )
}

const CancelButton = ({ entryId }: { entryId: string }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteOwnHistoryEntry', { refreshes: ['listOwnHistory'], onDone: () => toast.done(say.cancelled) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.cancelTitle, body: say.cancelBody, confirm: say.cancel }))
      remove.mutate([{ entryId }], { onError: toast.failed })
  }
  return (
    <Button size="compact-xs" variant="default" loading={remove.isPending} onClick={() => void ask()}>
      {say.cancel}
    </Button>
  )
}
