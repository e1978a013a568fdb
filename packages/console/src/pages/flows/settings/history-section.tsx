import { Button, Group, Stack, Text } from '@mantine/core'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Actor } from '#parts/value/actor.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { formOf, type FlowForm } from './flow-form.ts'
import { differences } from './groups.ts'
import { text } from './text.ts'

type Version = OutputOf<'listFlowVersions'>['items'][number]

const formOfVersion = (flow: Flow, { settings }: Version): FlowForm =>
  formOf({ ...settings, id: flow.id, apiKeySet: false, version: 0, speech: flow.speech })

/** What was set before, by whom; each of it can come back. */
export const HistorySection = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const versions = useRead('listFlowVersions', { aiFlowId: flow.id })
  const restore = useRestore(flow)
  return (
    <Loaded query={versions}>
      {({ items }) => (
        <Stack gap="sm">
          {items.length === 0 && <Text c="dimmed">{say.noHistory}</Text>}
          {items.map((version, index) => {
            const before = items[index + 1]
            const changed = before && differences(formOfVersion(flow, version), formOfVersion(flow, before), say)
            return (
              <Group key={version.version} justify="space-between" wrap="nowrap">
                <div>
                  <Text size="sm">
                    <Time at={version.at} /> ·{' '}
                    {version.author === undefined ? say.unknownAuthor : <Actor name={`user:${version.author}`} />}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {changed ? changed.join(', ') : say.firstVersion}
                  </Text>
                </div>
                {version.version === flow.version ? (
                  <Text size="sm" c="dimmed">
                    {say.presentVersion}
                  </Text>
                ) : (
                  <Button size="xs" variant="default" onClick={() => void restore(version.version)}>
                    {say.restore}
                  </Button>
                )}
              </Group>
            )
          })}
        </Stack>
      )}
    </Loaded>
  )
}

const useRestore = (flow: Flow): ((version: number) => Promise<void>) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const restore = useWrite('restoreFlowVersion', { refreshes: ['getFlow', 'listFlows', 'listFlowVersions'] })
  return async (version) => {
    if (!(await confirm({ title: say.restoreTitle, body: say.restoreBody, confirm: say.restore, danger: false }))) return
    restore.mutate([{ aiFlowId: flow.id, version: `${version}` }], {
      onSuccess: () => toast.done(say.restored),
      onError: (error) => toast.failed(error),
    })
  }
}
