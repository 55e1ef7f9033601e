/* The hot loop of pbrain/kernel/board.py in C, on the same records: what the jitted kernel's speed is compared with. */
typedef unsigned char u1;
typedef unsigned short u2;
typedef unsigned int u4;
typedef unsigned long long u8;
typedef short i2;
typedef int i4;
typedef long long i8;

typedef struct { u8 threats[2]; u4 trail_top; i4 value[2]; u2 summed, cell; u1 to_move, winner; u4 near[7]; } Frame;
typedef struct {
    u8 tables, key, lines[4][64], threats[2];
    i4 value[2];
    u4 moves, trail_top;
    u1 width, height, to_move, winner;
    u4 near[32], empty[32];
    u1 stones[1024], classes[2][1024];
    u4 shapes[1024];
    Frame frames[484];
    u8 trail[19844];
    u2 summed;
    i4 sums[485][32];
    i2 change[32];
    u4 stamps[1024], stamp;
    i2 inputs[32];
} State;
typedef struct {
    u4 rule, half;
    u1 line_class[1 << 20], cell_class[2][1 << 16];
    i8 value[64 * 64];
    i2 threat_value[1 << 12], order[64 * 64], near_last[2][2048];
    u8 has_network;
    i2 rows[64 * 64][32], threat_rows[1 << 12][16];
    i2 hidden_weights[32][32], hidden_biases[2][32], output_weights[32];
    u8 output_bias;
    u8 zobrist[2][1024], zobrist_side;
} Tables;

unsigned long long twin_state_size(void) { return sizeof(State); }
unsigned long long twin_tables_size(void) { return sizeof(Tables); }

/* What a cell of each class adds to its colour's word of threats. */
static const u8 UNITS[64] = {
    [27] = 1, [28] = 1, [29] = 1, [30] = 1, [31] = 1ull << 9, [32] = 1ull << 18, [33] = 1ull << 18, [34] = 1ull << 18,
    [35] = 1ull << 27, [36] = 1ull << 36, [37] = 1ull << 36, [38] = 1ull << 45, [1] = 1ull << 54, [2] = 1ull << 54};
static const u4 NEAR[7] = {0x49, 0x3E, 0x3E, 0x7F, 0x3E, 0x3E, 0x49};
static const int STEP[4] = {1, 32, 33, -31};

static inline u4 line_of(int direction, u4 cell) {
    u4 x = cell & 31, y = cell >> 5;
    return direction == 0 ? y : direction == 1 ? x : direction == 2 ? x + 31 - y : x + y;
}

static inline u4 position_of(int direction, u4 cell) { return direction == 1 ? cell >> 5 : cell & 31; }

void twin_make(State *s, u4 cell, u4 colour) {
    Tables *t = (Tables *)s->tables;
    Frame *f = &s->frames[s->moves];
    u4 x = cell & 31, y = cell >> 5, top = s->trail_top;
    u8 stone = colour + 1;
    f->threats[0] = s->threats[0], f->threats[1] = s->threats[1];
    f->trail_top = top;
    f->value[0] = s->value[0], f->value[1] = s->value[1];
    f->summed = s->summed, f->cell = cell, f->to_move = s->to_move, f->winner = s->winner;
    u4 black = s->classes[0][cell], white = s->classes[1][cell];
    if (s->classes[colour][cell] == 38) s->winner = stone;
    i8 value = -t->value[black * 64 + white];
    u8 black_threats = s->threats[0] - UNITS[black], white_threats = s->threats[1] - UNITS[white];
    s->trail[top++] = cell | black << 16 | (u8)white << 24 | (u8)s->shapes[cell] << 32;
    s->classes[0][cell] = s->classes[1][cell] = 0;
    s->stones[cell] = stone;
    s->empty[y] ^= 1u << x;
    for (int i = 0; i < 7; i++) {
        f->near[i] = s->near[y + i - 3];
        s->near[y + i - 3] |= NEAR[i] << (x - 3);
    }
    u8 half = t->half, reach = 2 * half, low = (1ull << reach) - 1;
    u8 span = 0x5555555555555555ull & ((1ull << (2 * reach + 2)) - 1);
    for (int d = 0; d < 4; d++) {
        u4 line = line_of(d, cell), position = position_of(d, cell), shift = 4 * d, mask = 0x000F000Fu << shift;
        u8 word = s->lines[d][line] |= stone << (2 * position);
        u8 window = ~(word | word >> 1) & (span << (2 * (position - half)));
        u4 first = cell - position * STEP[d];
        for (; window; window &= window - 1) {
            u8 bit = __builtin_ctzll(window), seen = word >> (bit - reach);
            u4 other = first + (bit >> 1) * STEP[d];
            u4 pair = t->line_class[(seen & low) | ((seen >> 2) & (low << reach))];
            u4 changed = ((pair & 15) | (pair >> 4) << 16) << shift, shape = s->shapes[other];
            if ((shape & mask) == changed) continue;
            black = s->classes[0][other], white = s->classes[1][other];
            s->trail[top++] = other | black << 16 | (u8)white << 24 | (u8)shape << 32;
            shape = (shape & ~mask) | changed;
            s->shapes[other] = shape;
            u4 new_black = t->cell_class[0][shape & 0xFFFF], new_white = t->cell_class[1][shape >> 16];
            value += t->value[new_black * 64 + new_white] - t->value[black * 64 + white];
            black_threats += UNITS[new_black] - UNITS[black], white_threats += UNITS[new_white] - UNITS[white];
            s->classes[0][other] = new_black, s->classes[1][other] = new_white;
        }
    }
    s->value[0] += (value - (i4)value) >> 32, s->value[1] += (i4)value;
    s->threats[0] = black_threats, s->threats[1] = white_threats;
    s->trail_top = top;
    s->moves++;
    s->key ^= t->zobrist[colour][cell];
    if (s->to_move == colour) {
        s->to_move = 1 - colour;
        s->key ^= t->zobrist_side;
    }
}

void twin_undo(State *s) {
    Tables *t = (Tables *)s->tables;
    Frame *f = &s->frames[--s->moves];
    u4 cell = f->cell, x = cell & 31, y = cell >> 5;
    u8 stone = s->stones[cell];
    s->key ^= t->zobrist[stone - 1][cell];
    if (s->to_move != f->to_move) s->key ^= t->zobrist_side;
    s->to_move = f->to_move, s->winner = f->winner, s->summed = f->summed;
    s->threats[0] = f->threats[0], s->threats[1] = f->threats[1];
    s->value[0] = f->value[0], s->value[1] = f->value[1];
    s->stones[cell] = 0;
    s->empty[y] ^= 1u << x;
    for (int i = 0; i < 7; i++) s->near[y + i - 3] = f->near[i];
    for (int d = 0; d < 4; d++) s->lines[d][line_of(d, cell)] ^= stone << (2 * position_of(d, cell));
    u4 bottom = f->trail_top, top = s->trail_top;
    s->trail_top = bottom;
    while (top > bottom) {
        u8 entry = s->trail[--top];
        u4 other = entry & 0xFFFF;
        s->classes[0][other] = entry >> 16, s->classes[1][other] = entry >> 24;
        s->shapes[other] = entry >> 32;
    }
}

unsigned long long twin_exercise(State *s, unsigned long long rounds) {
    u8 pairs = 0;
    for (u8 round = 0; round < rounds; round++)
        for (u4 row = 0; row < 32; row++)
            for (u4 near = s->near[row] & s->empty[row]; near; near &= near - 1) {
                twin_make(s, row * 32 + __builtin_ctz(near), s->to_move);
                twin_undo(s);
                pairs++;
            }
    return pairs;
}
