/*
 * Counts the frames of the ramp on stdin, S32 in so many channels, and says where one is not what it should be.
 *
 * Prints how many whole frames there were, and how many of them are silence that stands for what was lost; exits with 1
 * where one is wrong or is torn.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  size_t channels = count == 2 ? strtoul(arguments[1], NULL, 10) : 0;
  if (channels == 0) return 2;
  int32_t *frame = malloc(channels * sizeof *frame);
  uint64_t frames = 0, silent = 0;
  size_t got;
  setvbuf(stdin, NULL, _IOFBF, 1 << 20);
  while ((got = fread(frame, sizeof *frame, channels, stdin)) == channels) {
    uint32_t expected = frame[0] == 0 ? 0 : (uint32_t)frames;
    silent += expected == 0 && frames > 0;
    for (size_t channel = 0; channel < channels; channel++) {
      if ((uint32_t)frame[channel] == expected) continue;
      printf("frame %ju holds %ju\n", (uintmax_t)frames, (uintmax_t)(uint32_t)frame[channel]);
      return 1;
    }
    frames++;
  }
  printf("%ju %ju\n", (uintmax_t)frames, (uintmax_t)silent);
  return got == 0 ? 0 : 1;
}
