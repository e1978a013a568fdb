import { Box, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import classes from './unsaved-bar.module.css'

interface UnsavedBarProps {
  save: string
  discard: string
  pending: boolean
  /** Default: submits the surrounding form. */
  onSave?: () => void
  onDiscard: () => void
  /** Obstacles to saving. */
  children: ReactNode
}

/** Stays visible while there are unsaved changes. */
export const UnsavedBar = ({ save, discard, pending, onSave, onDiscard, children }: UnsavedBarProps) => (
  <Box className={classes.bar}>
    <Stack gap="sm">
      {children}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {useText(text).unsaved}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onDiscard}>
            {discard}
          </Button>
          <Button type={onSave ? 'button' : 'submit'} loading={pending} onClick={onSave}>
            {save}
          </Button>
        </Group>
      </Group>
    </Stack>
  </Box>
)
