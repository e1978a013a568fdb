import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Track } from '../parts/track.tsx'
import { PortingDocuments } from './documents.tsx'
import { isPortingStatus, placeOnTrack, type PortingStatus } from './porting-track.ts'
import { refusals, wordsOfRefusal } from './refusals.ts'
import { text } from './text.ts'
import { PortingActions } from './porting-actions.tsx'
import { type Porting, PortingState } from './porting-state.tsx'

const maxInTitle = 3

const dayMs = 24 * 60 * 60 * 1000

/** One porting under way: where it stands, what comes next and by when. */
export const PortingCard = ({ porting, onCorrect }: { porting: Porting; onCorrect: () => void }) => {
  const say = useText(text)
  const { phone } = useFormat()
  const { numbers, status } = porting
  const spaced = numbers.map(({ number }) => phone(number))
  const title = spaced.length > maxInTitle ? say.andMore(spaced[0] ?? '', spaced.length - 1) : spaced.join(', ')
  if (!isPortingStatus(status)) return null
  return (
    <Section
      title={title}
      description={<PortingState porting={porting} />}
      actions={<PortingActions porting={porting} status={status} onCorrect={onCorrect} />}
    >
      <Stack gap="lg">
        {spaced.length > maxInTitle && (
          <Told title={say.numbers}>
            <PhoneNumbers numbers={numbers.map(({ number }) => number)} none="" />
          </Told>
        )}
        <Way porting={porting} status={status} label={say.way(title)} />
        <Next porting={porting} status={status} />
        <PortingDocuments portingId={String(porting.id)} />
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
