import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '#api/use-may.ts'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Track } from '../parts/track.tsx'
import { isPortingStatus, placeOnTrack, stuckStatuses, type PortingStatus } from './porting-track.ts'
import { refusals, wordsOfRefusal } from './refusals.ts'
import { text } from './text.ts'

export type Porting = OutputOf<'listPortings'>['items'][number]

const mostInTitle = 3
const dayMs = 24 * 60 * 60 * 1000

/** One porting under way: where it stands, what comes next and by when. */
export const PortingCard = ({ porting, onCorrect }: { porting: Porting; onCorrect: () => void }) => {
  const say = useText(text)
  const { phone } = useFormat()
  const { numbers, status } = porting
  const spaced = numbers.map(({ number }) => phone(number))
  const title = spaced.length > mostInTitle ? say.andMore(spaced[0] ?? '', spaced.length - 1) : spaced.join(', ')
  if (!isPortingStatus(status)) return null
  return (
    <Section
      title={title}
      description={<PortingState porting={porting} />}
      actions={<Deeds porting={porting} status={status} onCorrect={onCorrect} />}
    >
      <Stack gap="lg">
        {spaced.length > mostInTitle && (
          <Told title={say.numbers}>
            <PhoneNumbers numbers={numbers.map(({ number }) => number)} none="" />
          </Told>
        )}
        <Way porting={porting} status={status} label={say.way(title)} />
        <Next porting={porting} status={status} />
      </Stack>
    </Section>
  )
}

const Way = ({ porting: { portDate }, status, label }: { porting: Porting; status: PortingStatus; label: string }) => {
  const say = useText(text)
  const { date } = useFormat()
  const dateNote = portDate === '' ? undefined : date(portDate)
  const steps = placeOnTrack(status).map(({ name, state }) => ({
    key: name,
    label: say.steps[name],
    state,
    note: name === 'complete' ? dateNote : undefined,
  }))
  return <Track label={label} steps={steps} />
}

/** In these the last refusal is what matters; later it is past. */
const refusable: readonly PortingStatus[] = [252, 400, 451]

const Next = ({ porting, status }: { porting: Porting; status: PortingStatus }) => {
  const say = useText(text)
  const refused = useText(refusals)
  const { reason } = porting
  return (
    <Stack gap="sm">
      {reason !== undefined && refusable.includes(status) && (
        <Told title={say.carrierSaid}>{wordsOfRefusal(reason, refused).join(' ')}</Told>
      )}
      <Told title={say.whatNext}>{useNext(porting, status)}</Told>
    </Stack>
  )
}

const Told = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Text size="sm" fw={600} component="h3">
      {title}
    </Text>
    <Text size="sm" mt={2} maw="44rem">
      {children}
    </Text>
  </div>
)

const useNext = ({ portDate, consentExpires, cancelRequested, correctionRequested }: Porting, status: PortingStatus): string => {
  const say = useText(text)
  const { date, moment } = useFormat()
  if (cancelRequested) return say.cancelNext
  if (correctionRequested) return say.correctionNext
  return say.next[status]({
    date: portDate === '' ? say.noDate : date(portDate),
    eve: portDate === '' ? say.noDate : date(new Date(Date.parse(portDate) - dayMs).toISOString()),
    linkUntil: consentExpires === undefined ? undefined : moment(consentExpires),
  })
}

export const PortingState = ({ porting: { status, cancelRequested, correctionRequested } }: { porting: Porting }) => {
  const say = useText(text)
  if (!isPortingStatus(status)) return status
  if (cancelRequested || correctionRequested)
    return <StatusBadge tone="warning">{cancelRequested ? say.cancelAsked : say.correctionAsked}</StatusBadge>
  const tone = status === 500 ? 'good' : status === 600 ? 'quiet' : stuckStatuses.includes(status) ? 'bad' : 'busy'
  return <StatusBadge tone={tone}>{say.states[status]}</StatusBadge>
}

/** Once the present carrier knows of it, it has to agree to a revocation. */
const binding: readonly PortingStatus[] = [250, 400]

const Deeds = ({ porting, status, onCorrect }: { porting: Porting; status: PortingStatus; onCorrect: () => void }) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const confirm = useConfirm()
  const asked = binding.includes(status)
  const revoke = useWrite('revokePorting', {
    refreshes: ['listPortings', 'listNumbers'],
    onDone: () => toast.done(asked ? say.revokeAsked : say.revoked),
  })
  const ask = async (): Promise<void> => {
    const body = asked ? `${say.revokeBody} ${say.revokeBinding}` : say.revokeBody
    if (await confirm({ title: say.revokeTitle, body, confirm: say.revokeConfirm }))
      revoke.mutate([{ portingId: String(porting.id) }], { onError: toast.failed })
  }
  return (
    <Group gap="xs">
      {porting.correctable && may('CAN_CREATE_PORTINGS') && (
        <Button size="sm" variant={status === 252 ? 'filled' : 'default'} onClick={onCorrect}>
          {status === 252 ? say.correct : say.change}
        </Button>
      )}
      {porting.revocable && !porting.cancelRequested && may('CAN_REVOKE_PORTINGS') && (
        <Button size="sm" variant="default" loading={revoke.isPending} onClick={() => void ask()}>
          {say.revoke}
        </Button>
      )}
    </Group>
  )
}
