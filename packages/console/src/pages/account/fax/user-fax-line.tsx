import { Group, Stack } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'
import { CallerChoice, LeadingNumbers } from './fax-line-fields.tsx'

type Faxline = OutputOf<'listFaxlines'>['items'][number]

export const UserFaxLine = ({ userId, line }: { userId: string; line: Faxline }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const target = { userId, faxlineId: line.id }
  const mayChange = useMay()('CAN_CHANGE_FAXLINES')
  const done = { onDone: () => toast.done(saved) }
  const rename = useWrite('changeFaxline', { refreshes: ['listFaxlines'], ...done })
  const setTagline = useWrite('changeFaxline', { refreshes: ['listFaxlines'], ...done })
  const setCaller = useWrite('setFaxlineCallerId', { refreshes: ['getFaxlineCallerId'], ...done })
  const caller = useRead('getFaxlineCallerId', target).data?.value
  const common = { disabled: !mayChange }
  return (
    <Section title={line.alias} description={<Abilities line={line} />}>
      <Stack gap="lg" maw={520}>
        <SavedText
          key={`name ${line.alias}`}
          label={say.name}
          maxLength={100}
          value={line.alias}
          onSave={(alias) => rename.mutate([target, { alias }])}
          pending={rename.isPending}
          problem={rename.error}
          {...common}
        />
        <SavedText
          key={`tagline ${line.tagline}`}
          label={say.tagline}
          description={say.taglineHint}
          maxLength={50}
          value={line.tagline}
          onSave={(tagline) => setTagline.mutate([target, { tagline }])}
          pending={setTagline.isPending}
          problem={setTagline.error}
          {...common}
        />
        <CallerChoice
          value={caller}
          onChoose={(value) => setCaller.mutate([target, { value }])}
          pending={setCaller.isPending || !mayChange}
          problem={setCaller.error}
        />
        <LeadingNumbers numbers={useRead('listFaxlineNumbers', target)} />
      </Stack>
    </Section>
  )
}

const Abilities = ({ line: { canSend, canReceive } }: { line: Faxline }) => {
  const say = useText(text)
  return (
    <Group gap="xs">
      {canSend && <StatusBadge tone="good">{say.canSend}</StatusBadge>}
      {canReceive && <StatusBadge tone="good">{say.canReceive}</StatusBadge>}
    </Group>
  )
}
