import { Alert, Button, Group, List, Text } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export interface ConflictProps {
  /** What somebody else has changed meanwhile. */
  changed: readonly string[]
  onKeepMine: () => void
  onTakeTheirs: () => void
}

/** Somebody else was faster: nothing is overwritten unless that is wanted. */
export const Conflict = ({ changed, onKeepMine, onTakeTheirs }: ConflictProps) => {
  const say = useText(text)
  return (
    <Alert color="yellow" role="alert" icon={<Icon name="alert" />} title={say.conflict}>
      <Text size="sm">{say.conflictHint}</Text>
      <List size="sm" my="xs">
        {changed.map((label) => (
          <List.Item key={label}>{label}</List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" onClick={onKeepMine}>
          {say.keepMine}
        </Button>
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          {say.takeTheirs}
        </Button>
      </Group>
    </Alert>
  )
}
