import { Box, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../icon/icon.tsx'
import classes from './empty-state.module.css'

/** Explains an empty list, and what to do. */
export const EmptyState = ({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}) => (
  <Stack align="center" gap="xs" className={classes.empty}>
    <Box className={classes.icon}>
      <Icon name={icon} size={24} />
    </Box>
    <Text fw={600}>{title}</Text>
    {children !== undefined && (
      <Text size="sm" c="dimmed" maw="30rem" component="div">
        {children}
      </Text>
    )}
    {action !== undefined && <Box mt="xs">{action}</Box>}
  </Stack>
)
