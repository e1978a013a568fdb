import { Box, Button, Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import { api } from '#api/client.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/table/data-table.tsx'
import { LoadedTable } from '#parts/table/loaded-table.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { RowMenu, type MenuDeed } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { text as accountText } from '../parts/text.ts'
import { GreetingForm } from './greeting-form.tsx'
import { fromBase64 } from './telephone-sound.ts'
import { text } from './text.ts'

type Greeting = OutputOf<'listGreetings'>['items'][number]

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
      <LoadedTable
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
      {heard && <Player key={heard.id} voicemailId={voicemailId} greeting={heard} />}
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
    const use: MenuDeed = {
      label: say.use,
      icon: 'check',
      onClick: () => choose.mutate([{ voicemailId, greetingId: greeting.id }, { active: true }], failed),
    }
    const deeds: MenuDeed[] = [
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
        {mayChange && <RowMenu label={account.actionsFor(greeting.alias)} deeds={deeds} />}
      </Group>
    )
  }
}

/** The sound is fetched when it is wanted, and given back when another one is. */
const Player = ({ voicemailId, greeting: { id: greetingId, alias } }: { voicemailId: string; greeting: Greeting }) => {
  const say = useText(text)
  const toast = useToast()
  const [source, setSource] = useState<string>()
  useEffect(() => {
    let address: string | undefined
    const begin = async (): Promise<void> => {
      const { base64Content } = await api.getGreeting({ voicemailId, greetingId })
      address = URL.createObjectURL(new Blob([fromBase64(base64Content)], { type: 'audio/wav' }))
      setSource(address)
    }
    begin().catch((error: unknown) => toast.failed(error))
    return () => {
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [voicemailId, greetingId, toast])
  return (
    <Box p="md">
      {/* Spoken words of the account's own people; there is no text of them to show. */}
      <audio controls autoPlay src={source} aria-label={say.playOf(alias)} style={{ width: '100%' }} />
    </Box>
  )
}
