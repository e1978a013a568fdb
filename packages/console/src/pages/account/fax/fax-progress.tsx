import { Progress, Stack, Text } from '@mantine/core'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Track, type StepState, type TrackStep } from '../parts/track.tsx'
import { useReason } from '#parts/value/use-reason.ts'
import type { FaxEntry, FaxStatus } from './fax-entry.ts'
import { text } from './text.ts'

const names = ['accepted', 'waiting', 'sending', 'sent'] as const

/** Which of the steps is the present one. */
const positions: Readonly<Record<FaxStatus, number>> = { PENDING: 1, SCHEDULED: 1, SENDING: 2, FAILED: 2, SENT: 4 }

const stateAt = (position: number, status: FaxStatus): StepState => {
  const present = positions[status]
  if (position !== present) return position < present ? 'done' : 'ahead'
  return status === 'FAILED' ? 'bad' : 'now'
}

/** Where a fax that is sent has come to, page by page. */
export const FaxProgress = ({ entry }: { entry: FaxEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const { faxStatusType: status = 'PENDING', target, pageCount = 0, pagesSent = 0, bitRate = 0, scheduled, faxReason } = entry
  const steps: TrackStep[] = names.map((name, position) => ({ key: name, label: say.steps[name], state: stateAt(position, status) }))
  const reason = useReason(faxReason)
  const facts = [
    [say.reason, status === 'SENT' ? undefined : reason],
    [say.nextTry, scheduled !== undefined && status === 'SCHEDULED' ? <Time key="next" at={scheduled} /> : undefined],
    [say.bitRate, bitRate > 0 ? `${format.number(bitRate)} bit/s` : undefined],
  ] as const
  return (
    <Stack gap="md">
      <Track label={say.way(format.phone(target))} steps={steps} />
      <div>
        {pageCount > 0 && <Progress value={(pagesSent / pageCount) * 100} aria-label={say.pagesSent(pagesSent, pageCount)} />}
        <Text size="sm" mt={6} role="status">
          {say.statuses[status]}
          {pageCount > 0 && ` · ${say.pagesSent(pagesSent, pageCount)}`}
        </Text>
      </div>
      {facts.some(([, value]) => value !== undefined) && <Facts facts={facts} />}
    </Stack>
  )
}
