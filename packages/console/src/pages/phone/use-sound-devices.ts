import { useEffect, useState } from 'react'

interface SoundDevices {
  inputs: readonly MediaDeviceInfo[]
  outputs: readonly MediaDeviceInfo[]
  /** Undefined where the browser does not say. */
  permission: PermissionState | undefined
}

/** What is plugged in, and whether the page may hear. `again`: the person has just allowed it, so that names are known now. */
export const useSoundDevices = (again: boolean): SoundDevices => {
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([])
  const [permission, setPermission] = useState<PermissionState>()
  useEffect(() => {
    // Pages that are not secure have neither.
    const media = navigator.mediaDevices as MediaDevices | undefined
    if (media === undefined) return undefined
    const look = (): void => void media.enumerateDevices().then(setDevices, () => undefined)
    look()
    media.addEventListener('devicechange', look)
    let status: PermissionStatus | undefined
    const notify = (): void => {
      setPermission(status?.state)
      look()
    }
    navigator.permissions.query({ name: 'microphone' }).then(
      (found) => {
        status = found
        found.addEventListener('change', notify)
        notify()
      },
      () => undefined,
    )
    return () => {
      media.removeEventListener('devicechange', look)
      status?.removeEventListener('change', notify)
    }
  }, [again])
  return {
    inputs: devices.filter(({ kind }) => kind === 'audioinput'),
    outputs: devices.filter(({ kind }) => kind === 'audiooutput'),
    permission,
  }
}
