import { Button } from '@mantine/core'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Section } from '#parts/page/section.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Session = OutputOf<'listLoginSessions'>['items'][number]

const refreshes = ['listLoginSessions'] as const

export const SessionsSection = () => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const sessions = useRead('listLoginSessions')
  const columns = useColumns()
  const onDone = (): void => toast.done(say.ended)
  const end = useWrite('endLoginSession', { refreshes, onDone })
  const endOthers = useWrite('endOtherLoginSessions', { refreshes, onDone })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.endOthers, body: say.endOthersBody, confirm: say.endOthers }))
      endOthers.mutate([], { onError: (error) => toast.failed(error) })
  }
  const others = sessions.data?.items.some(({ current }) => !current) ?? false
  return (
    <Section
      title={say.sessions}
      description={say.sessionsHint}
      flush
      actions={
        others && (
          <Button variant="default" onClick={() => void ask()}>
            {say.endOthers}
          </Button>
        )
      }
    >
      <List
        query={sessions}
        label={say.sessions}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={({ id, current, program }) =>
          !current && (
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={`${say.end}: ${program === '' ? say.unknown : program}`}
              onClick={() => end.mutate([{ sessionId: id }], { onError: (error) => toast.failed(error) })}
            >
              {say.end}
            </Button>
          )
        }
        empty={null}
      />
    </Section>
  )
}

const useColumns = (): Column<Session>[] => {
  const say = useText(text)
  const named = (program: string): string => (program === '' ? say.unknown : program)
  return [
    {
      key: 'program',
      header: say.program,
      cell: ({ program, current }) => (current ? `${named(program)} (${say.here})` : named(program)),
    },
    { key: 'place', header: say.place, cell: ({ place }) => place },
    {
      key: 'createdAt',
      header: say.loggedIn,
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    {
      key: 'lastSeenAt',
      header: say.lastSeen,
      value: ({ lastSeenAt }) => lastSeenAt,
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt} relative />,
    },
  ]
}
