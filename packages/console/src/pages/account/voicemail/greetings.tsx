import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { text as accountText } from '../parts/text.ts'
import { GreetingForm } from './greeting-form.tsx'
import { text } from './text.ts'
import { type Greeting, GreetingPlayer } from './greeting-player.tsx'

/** What callers of a voicemail hear first. */
export const Greetings = ({ voicemailId, mayChange }: { voicemailId: string; mayChange: boolean }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const greetings = useRead('listGreetings', { voicemailId })
  const [adding, setAdding] = useState(false)
  const [heard, setHeard] = useState<Greeting>()
  const actionsOf = useRowActions(voicemailId, { mayChange, onPlay: setHeard })
  const columns: Column<Greeting>[] = [
    { key: 'alias', header: say.name, cell: ({ alias }) => alias },
    { key: 'duration', header: say.length, cell: (greeting) => duration(greeting.duration * 1000), align: 'right', wideOnly: true },
    { key: 'active', header: say.state, cell: ({ active }) => active && <StatusBadge tone="good">{say.inUse}</StatusBadge> },
  ]
  const add = mayChange && (
    <AddButton variant="default" onClick={() => setAdding(true)}>
      {say.add}
    </AddButton>
  )
  return (
    <Section title={say.greetings} description={say.greetingsHint} actions={add} flush>
      <List
        name="greetings"
        query={greetings}
        label={say.greetings}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={actionsOf}
        empty={
          <NothingHere icon="voicemail" title={say.noGreeting}>
            {mayChange ? say.noGreetingHint : undefined}
          </NothingHere>
        }
      />
      {heard && <GreetingPlayer key={heard.id} voicemailId={voicemailId} greeting={heard} />}
      {adding && <GreetingForm voicemailId={voicemailId} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const useRowActions = (voicemailId: string, { mayChange, onPlay }: { mayChange: boolean; onPlay: (greeting: Greeting) => void }) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const refreshes = ['listGreetings', 'getVoicemail'] as const
  const choose = useWrite('changeGreeting', { refreshes, onDone: () => toast.done(account.saved) })
  const remove = useWrite('deleteGreeting', { refreshes, onDone: () => toast.done(account.deleted) })
  const failed = { onError: (error: unknown) => toast.failed(error) }
  const askRemove = async ({ id, alias }: Greeting): Promise<void> => {
    const question = { title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.deleteConfirm }
    if (await confirm(question)) remove.mutate([{ voicemailId, greetingId: id }], failed)
  }
  return (greeting: Greeting) => {
    const use: MenuAction = {
      label: say.use,
      icon: 'check',
      onClick: () => choose.mutate([{ voicemailId, greetingId: greeting.id }, { active: true }], failed),
    }
    const actions: MenuAction[] = [
      ...(greeting.active ? [] : [use]),
      { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(greeting) },
    ]
    return (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="play" size={14} />}
          aria-label={say.playOf(greeting.alias)}
          onClick={() => onPlay(greeting)}
        >
          {say.play}
        </Button>
        {mayChange && <RowMenu label={account.actionsFor(greeting.alias)} actions={actions} />}
      </Group>
    )
  }
}
