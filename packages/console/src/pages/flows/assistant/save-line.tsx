import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { UnsavedBar } from '../parts/unsaved-bar.tsx'
import { draftOf, withoutSecrets } from './draft.ts'
import { text } from './text.ts'
import type { Assistant, Saving } from './use-saving.ts'
import { changesBetween } from './changes.ts'

type SaveLineProps = { flowId: string; saving: Saving; kept: Assistant }

export const SaveLine = ({ flowId, saving, kept }: SaveLineProps) => {
  const say = useText(text)
  const { form, save, pending, error, isConflict } = saving
  if (!form.changed) return null
  return (
    <UnsavedBar save={say.save} discard={say.discard} pending={pending} onSave={() => void save()} onDiscard={() => saving.take(kept)}>
      {isConflict ? <Conflict flowId={flowId} saving={saving} /> : <ErrorNotice error={error} />}
    </UnsavedBar>
  )
}

/** A save conflict: the person decides whose changes are lost. */
const Conflict = ({ flowId, saving }: { flowId: string; saving: Saving }) => {
  const say = useText(text)
  const { moment } = useFormat()
  const { form } = saving
  const now = useRead('getAssistant', { aiFlowId: flowId }).data
  if (!now || now.revision === saving.revision) return null
  return (
    <Alert color="yellow" role="alert" title={say.conflictTitle}>
      <Stack gap="xs">
        <Paths
          title={say.conflictTheirs(now.changedAt === undefined ? '–' : moment(now.changedAt))}
          from={form.began}
          to={draftOf(now.settings)}
        />
        <Paths title={say.conflictYours} from={form.began} to={withoutSecrets(form.draft)} />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => saving.take(now)}>
            {say.takeTheirs}
          </Button>
          <Button size="xs" variant="default" onClick={() => void saving.save(true)}>
            {say.keepMine}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

const Paths = ({ title, from, to }: { title: string; from: unknown; to: unknown }) => (
  <div>
    <Text size="sm">{title}</Text>
    <List size="sm">
      {changesBetween(from, to).map(({ path }) => (
        <List.Item key={path} lang="en">
          {path.replaceAll('/', ' › ')}
        </List.Item>
      ))}
    </List>
  </div>
)
