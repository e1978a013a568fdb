import { Anchor, Group, Select, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#parts-of-few/people.ts'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { useProblem } from '../parts/use-problem.ts'
import { UserPicker } from '#parts-of-few/user-picker.tsx'
import { text } from './text.ts'
import { useFaxGroups, type FaxGroup } from './use-sending-lines.ts'

type Faxline = OutputOf<'listFaxlines'>['items'][number]

/** The fax lines of a user, and those of the groups. */
export const FaxLines = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const lines = useRead('listFaxlines', { userId }, { when: userId !== '' })
  const groups = useFaxGroups()
  return (
    <Stack gap="lg">
      <UserPicker whose={whose} />
      <Loaded query={lines}>
        {({ items }) =>
          items.length === 0 ? (
            <Section flush>
              <EmptyState icon="fax" title={say.noLines}>
                {say.noLinesBody}
              </EmptyState>
            </Section>
          ) : (
            items.map((line) => <UserLine key={line.id} userId={userId} line={line} />)
          )
        }
      </Loaded>
      {groups.map((group) => (
        <GroupLines key={group.id} group={group} />
      ))}
    </Stack>
  )
}

const UserLine = ({ userId, line }: { userId: string; line: Faxline }) => {
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

const GroupLines = ({ group: { id: groupId, alias } }: { group: FaxGroup }) => {
  const lines = useRead('listGroupFaxlines', { groupId }).data?.items ?? []
  return lines.map((line) => <GroupLine key={line.id} faxlineId={line.id} alias={line.alias} group={alias} />)
}

const GroupLine = ({ faxlineId, alias, group }: { faxlineId: string; alias: string; group: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const caller = useRead('getGroupFaxlineCallerId', { faxlineId }).data?.value
  const set = useWrite('setGroupFaxlineCallerId', { refreshes: ['getGroupFaxlineCallerId'], onDone: () => toast.done(saved) })
  return (
    <Section title={alias} description={say.ofGroup(group)}>
      <Stack gap="lg" maw={520}>
        <CallerChoice
          value={caller}
          onChoose={(value) => set.mutate([{ faxlineId }, { value }])}
          pending={set.isPending || !may('CAN_CHANGE_GROUPS')}
          problem={set.error}
        />
        <LeadingNumbers numbers={useRead('listGroupFaxlineNumbers', { faxlineId })} />
      </Stack>
    </Section>
  )
}

interface CallerChoiceProps {
  /** Undefined until it is known; empty: none. */
  value: string | undefined
  onChoose: (value: string) => void
  pending: boolean
  problem: unknown
}

const none = 'none'

const CallerChoice = ({ value, onChoose, pending, problem }: CallerChoiceProps) => {
  const say = useText(text)
  const { phone } = useFormat()
  const numbers = useRead('listNumbers').data?.items ?? []
  const own = numbers.filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE').map(({ number }) => number)
  // Another number may have been chosen by somebody who sees more numbers.
  const known = value === undefined || value === '' || own.includes(value) ? own : [value, ...own]
  return (
    <Select
      label={say.callerId}
      description={say.callerIdHint}
      data={[...known.map((number) => ({ value: number, label: phone(number) })), { value: none, label: say.noCallerId }]}
      value={value === undefined ? null : value === '' ? none : value}
      onChange={(chosen) => chosen !== null && onChoose(chosen === none ? '' : chosen)}
      allowDeselect={false}
      disabled={value === undefined || pending}
      error={useProblem(problem)}
    />
  )
}

const LeadingNumbers = ({ numbers }: { numbers: UseQueryResult<OutputOf<'listFaxlineNumbers'>> }) => {
  const say = useText(text)
  const items = numbers.data?.items ?? []
  return (
    <div>
      <Text size="sm" fw={550}>
        {say.numbers}
      </Text>
      <Text size="sm">
        <PhoneNumbers numbers={items.map(({ number }) => number)} none={say.noNumbers} />
      </Text>
      <Anchor component={Link} href="/numbers" size="sm">
        {say.toNumbers}
      </Anchor>
    </div>
  )
}
