import { Alert, Box, Button, Group, List, Stack, Text } from '@mantine/core'
import { useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import bar from '../settings/settings.module.css'
import { changesBetween } from './changes.ts'
import { draftOf, withoutSecrets } from './draft.ts'
import { text } from './text.ts'
import type { Assistant, Saving } from './use-saving.ts'

type SaveLineProps = { flowId: string; saving: Saving; kept: Assistant }

/** Stays in sight while something is not saved. */
export const SaveLine = ({ flowId, saving, kept }: SaveLineProps) => {
  const say = useText(text)
  const { form, save, pending, error, isConflict } = saving
  if (!form.changed) return null
  return (
    <Box className={bar.bar}>
      <Stack gap="sm">
        {isConflict ? <Conflict flowId={flowId} saving={saving} /> : <ErrorNotice error={error} />}
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {say.unsaved}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={() => saving.take(kept)}>
              {say.discard}
            </Button>
            <Button loading={pending} onClick={() => void save()}>
              {say.save}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Box>
  )
}

/** Who would lose what: the person decides. */
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
