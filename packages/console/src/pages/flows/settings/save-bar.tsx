import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { FlowForm } from './flow-form.ts'
import classes from './settings.module.css'
import { text } from './text.ts'

export interface SaveBarProps {
  form: Form<FlowForm>
  pending: boolean
  error: unknown
  onDiscard: () => void
}

/** Stays in sight while something is not saved. */
export const SaveBar = ({ form, pending, error, onDiscard }: SaveBarProps) => {
  const say = useText(text)
  if (!form.changed) return null
  return (
    <Box className={classes.bar}>
      <Stack gap="sm">
        <ErrorNotice error={error} />
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {say.unsaved}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={onDiscard}>
              {say.discard}
            </Button>
            <Button type="submit" loading={pending}>
              {say.save}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Box>
  )
}
